internal import COutlines

/// Coasts and borders of the world in two scales, from Natural Earth (public domain).
///
/// They leave out bays and headlands of a few kilometres; see ``finestMetresPerDot``.
package struct Outlines: Sendable {
  /// The outlines are drawn where a dot covers at least so much ground, in metres.
  ///
  /// The source is made for maps of 1:50,000,000, on which half a millimetre is 25 km of ground, and leaves out, for
  /// example, the headland of 10 km beside Tallinn: closer than this, its coast would put towns into the sea.
  package static let finestMetresPerDot = 1_000.0
  /// The coarser of both scales is drawn from so many metres a dot on: its points lie about that far apart.
  package static let coarseMetresPerDot = 15_000.0

  /// What a line is.
  package enum Kind: UInt64, Hashable, Sendable, CaseIterable {
    /// Where land meets the sea.
    case coast = 0
    /// Where two countries meet.
    case border = 1
  }

  /// One line: a range of its scale's points and the box that holds them.
  struct Line: Sendable {
    var kind: Kind
    var points: Range<Int>
    /// The outermost coordinates, in units.
    var (west, east, south, north): (Int32, Int32, Int32, Int32)
  }

  /// A point in units, ``Outlines/unitsPerDegree`` of which are a degree.
  struct Point: Hashable, Sendable {
    var lon: Int32
    var lat: Int32
  }

  /// The lines for one scale.
  struct Scale: Sendable {
    /// The scale's denominator in millions.
    var millions: UInt64
    var points: [Point] = []
    var lines: [Line] = []
  }

  /// Units of the points in a degree.
  let unitsPerDegree: Double
  /// The scales, the coarsest first; at least one.
  let scales: [Scale]

  /// The scale for a view, or `nil` where it is closer than the outlines are true.
  func scale(forMetresPerDot metres: Double) -> Scale? {
    guard metres >= Self.finestMetresPerDot else { return nil }
    return metres >= Self.coarseMetresPerDot ? scales.first : scales.last
  }
}

extension Outlines {
  /// The outlines that are part of the program.
  ///
  /// - Throws: ``OutlinesError`` if the program was built with others than it reads.
  /// - Complexity: O(n) in their 190 KB, about a millisecond; keep the result.
  package static func embedded() throws(OutlinesError) -> Outlines {
    try Outlines(UnsafeBufferPointer(start: cities_outlines_bytes(), count: cities_outlines_count()))
  }
}

/// Why bytes are no outlines.
package enum OutlinesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not begin as the format does.
  case foreign
  /// Another version of the format than 1.
  case unknownVersion(UInt8)
  /// The checksum says that they were changed.
  case damaged
  /// What cannot be, and where, in bytes from the begin.
  case invalid(String, offset: Int)

  /// What is wrong.
  package var description: String {
    switch self {
    case .foreign: "these are no outlines: they do not begin with CITYLINE"
    case .unknownVersion(let version): "these outlines are of version \(version), this program reads version 1"
    case .damaged: "the outlines are damaged: their checksum is wrong"
    case .invalid(let what, let offset): "the outlines are invalid: \(what) at byte \(offset)"
    }
  }
}

extension Outlines {
  private static let magic = Array("CITYLINE".utf8)
  /// More lines or points than any of Natural Earth's scales has.
  private static let most: UInt64 = 4_000_000

  /// Reads the format that contrib/data/make-outlines describes and writes.
  ///
  /// Any bytes are safe: they are outlines, or an error says why not.
  ///
  /// - Throws: ``OutlinesError``.
  /// - Complexity: O(n) in the bytes; memory is taken as points are read, never by a number that the bytes announce.
  package init(_ bytes: some RandomAccessCollection<UInt8>) throws(OutlinesError) {
    var reader = OutlinesReader(bytes)
    for byte in Self.magic { guard reader.byte() == byte else { throw .foreign } }
    guard let version = reader.byte() else { throw .damaged }
    guard version == 1 else { throw .unknownVersion(version) }
    var sum: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = reader.byte() else { throw .damaged }
      sum = sum << 8 | UInt32(byte)
    }
    guard sum == reader.checksumOfRest() else { throw .damaged }
    let units = try reader.varint(in: 1...10_000, "the units a degree")
    let count = try reader.varint(in: 1...16, "the number of scales")
    var scales: [Scale] = []
    for _ in 0..<count { scales.append(try reader.scale(unitsPerDegree: Int64(units), most: Self.most)) }
    guard reader.isAtEnd else { throw reader.invalid("something behind the last scale") }
    (unitsPerDegree, self.scales) = (Double(units), scales)
  }
}
