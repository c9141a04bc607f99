/// What the server keeps in memory: an open set of names.
public struct Subject: RawRepresentable, Codable, Hashable, Sendable {
  /// The name on the wire.
  public var rawValue: String
  /// Any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The cities.
  public static let cities = Subject(rawValue: "cities")

  /// The subjects of this build.
  public static let all: [Subject] = [.cities]
}

/// A source that `citiesd-sync` turns into a resident file: an open set of names.
public struct FeedName: RawRepresentable, Codable, Hashable, Sendable {
  /// The name on the wire, in the configuration and on the command line.
  public var rawValue: String
  /// Any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The city list.
  public static let cities = FeedName(rawValue: "cities")

  /// The feeds of this build.
  public static let all: [FeedName] = [.cities]
}
