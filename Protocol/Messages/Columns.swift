internal import CBOR

extension CityLocate {
  /// The most positions in a request; as 64-bit floats, 4,000 fit the usual limit of requests.
  public static let maximumPoints = 8_192
  /// Marks a position without a city, in metres and indices of ``Reply/rows``.
  public static let nothing = UInt32.max
}

extension CityLocate.Reply {
  /// Makes a reply.
  public init(
    ids: [UInt64], metres: [UInt32], rows: [CityRow]? = nil, index: [UInt32]? = nil, generation: String,
    sources: Provenance? = nil
  ) {
    (self.ids, self.metres, self.rows) = (TypedArray(ids), TypedArray(metres), rows)
    (self.index, self.generation, self.sources) = (index.map(TypedArray.init), generation, sources)
    asOf = sources?.asOf
  }
}

extension CityMatch {
  /// The most names in a request; about 5,900 real ones fit the usual limit of requests.
  public static let maximumNames = 8_192
  /// Marks a name without a city, in indices of ``Reply/rows``.
  public static let nothing = UInt32.max

  /// The certainty of a match, from the least; ``Reply/classes`` has the numbers.
  public enum Certainty: UInt8, Sendable, CaseIterable {
    /// Nothing was found, or the name, its region or its country is unknown.
    case none
    /// No whole name matches: the first row of ``CityFind``.
    case guess
    /// Several cities have that name, and the rule of ``ResolvedCity`` selects none: the first in the order of
    /// ``CityFind``. Or the name consists only of decimal digits: the city to which ``CityGet/query`` resolves.
    case likely
    /// The city to which ``CityGet/query`` resolves; the name is not just decimal digits, which may be an id.
    case sure
  }
}

extension CityMatch.Reply {
  /// Makes a reply.
  public init(
    ids: [UInt64], classes: [CityMatch.Certainty], rows: [CityRow]? = nil, index: [UInt32]? = nil,
    complete: Bool = true, generation: String, sources: Provenance? = nil
  ) {
    (self.ids, self.classes) = (TypedArray(ids), TypedArray(classes.map(\.rawValue)))
    (self.rows, self.index, self.complete) = (rows, index.map(TypedArray.init), complete)
    (self.generation, self.sources, asOf) = (generation, sources, sources?.asOf)
  }
}
