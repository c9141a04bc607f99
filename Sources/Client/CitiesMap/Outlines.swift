internal import COutlines

/// Coasts and borders of the world in two scales, from Natural Earth (public domain).
///
/// They leave out bays and headlands of a few kilometres; see ``finestMetresPerDot``.
package struct Outlines: Sendable {
  /// Outlines are drawn only if a dot covers at least this much ground, in metres.
  ///
  /// The source is made for maps of 1:50,000,000, on which half a millimetre is 25 km of ground, and leaves out, for
  /// example, the headland of 10 km beside Tallinn: closer than this, its coast would put towns into the sea.
  package static let finestMetresPerDot = 1_000.0
  /// The largest error of the outlines, in metres: headlands of this size are missing.
  package static let accuracy = 10_000.0
  /// Terminals show the coarser scale from this many metres per dot: most of its points are within a dot of the coast.
  package static let coarseMetresPerDot = 40_000.0

  /// The kinds of lines.
  package enum Kind: Hashable, Sendable {
    /// A coast.
    case coast
    /// A border between two countries.
    case border
    /// The shore of a lake, or an island in it.
    case lake
    /// The edge of a part of a country, by the number of ``country(_:)``.
    case country(UInt64)

    /// The kind with a number in the file.
    init(_ number: UInt64) {
      switch number {
      case 0: self = .coast
      case 1: self = .border
      case 2: self = .lake
      default: self = .country(number)
      }
    }

    /// The kind of the parts of a country by its code, such as `EE`.
    static func country(_ code: String) -> Kind {
      .country(code.utf8.reduce(0) { 26 &* $0 &+ UInt64($1) &- 65 } &+ 16)
    }
  }

  /// A line: a range of its scale's points and their bounding box.
  struct Line: Sendable {
    var kind: Kind
    var points: Range<Int>
    /// The bounding box in degrees.
    var west: Double
    var east: Double
    var south: Double
    var north: Double
  }

  /// A point, in units of 1/``Scale/unitsPerDegree`` degree.
  struct Point: Hashable, Sendable {
    var lon: Int32
    var lat: Int32
  }

  /// The lines for one scale.
  struct Scale: Sendable {
    /// Units of the points per degree.
    var unitsPerDegree: Double
    var points: [Point] = []
    var lines: [Line] = []
  }

  /// The scales, coarsest first; at least one.
  let scales: [Scale]

  /// The scale for a view; `nil` if the view is too close for the outlines' accuracy.
  func scale(forMetresPerDot metres: Double) -> Scale? {
    guard metres >= Self.finestMetresPerDot else { return nil }
    return metres >= Self.coarseMetresPerDot ? scales.first : scales.last
  }
}

extension Outlines {
  /// The built-in outlines.
  ///
  /// - Complexity: O(n) in their 190 KB, about 1 ms; cache the result.
  package static func embedded() -> Outlines {
    unsafe Outlines(UnsafeBufferPointer(start: cities_outlines_bytes(), count: cities_outlines_count()))
  }

  /// The bytes of the format's mark, version and checksum.
  private static let headBytes = 13

  /// The built-in countries and lakes, in one scale.
  ///
  /// - Complexity: O(n) in their 250 KB.
  package static func areas() -> Outlines {
    unsafe Outlines(UnsafeBufferPointer(start: cities_areas_bytes(), count: cities_areas_count()))
  }

  /// Reads the format that contrib/data/make-outlines describes and writes.
  ///
  /// The bytes are a part of the program, which no installation can damage, so only their end is checked.
  ///
  /// - Complexity: O(n) in the bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var reader = unsafe OutlinesReader(bytes, from: Self.headBytes)
    let units = Int64(reader.varint())
    scales = (0..<reader.varint()).map { _ in reader.scale(unitsPerDegree: units) }
  }
}

/// Reads numbers in the outlines' format one by one.
@safe struct OutlinesReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index: Int

  /// Starts at the byte `first` of `bytes`.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int) { unsafe (self.bytes, index) = (bytes, first) }

  /// A LEB128 number; most are differences of one or two bytes.
  @inline(__always)
  mutating func varint() -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      precondition(unsafe index < bytes.count, "the outlines are cut off")
      let byte = unsafe bytes[index]
      index += 1
      number |= UInt64(byte & 0x7F) &<< shift
      if byte & 0x80 == 0 { return number }
      shift += 7
    }
  }

  /// A scale: its denominator in millions, then its lines.
  mutating func scale(unitsPerDegree: Int64) -> Outlines.Scale {
    _ = varint()
    let count = varint()
    var (points, lines): ([Outlines.Point], [Outlines.Line]) = ([], [])
    // A point has at least two bytes.
    points.reserveCapacity(unsafe (bytes.count - index) / 2)
    for _ in 0..<count {
      let kind = Outlines.Kind(varint())
      lines.append(line(kind, of: varint(), in: &points, unitsPerDegree))
    }
    return Outlines.Scale(unitsPerDegree: Double(unitsPerDegree), points: points, lines: lines)
  }

  /// Reads a line of `count` points, and computes its bounding box.
  private mutating func line(
    _ kind: Outlines.Kind, of count: UInt64, in points: inout [Outlines.Point], _ unitsPerDegree: Int64
  ) -> Outlines.Line {
    let first = points.count
    var (lon, lat): (Int64, Int64) = (0, 0)
    var (west, east, south, north): (Int32, Int32, Int32, Int32) = (.max, .min, .max, .min)
    for _ in 0..<count {
      lon += zigzag(varint())
      lat += zigzag(varint())
      let point = Outlines.Point(lon: Int32(truncatingIfNeeded: lon), lat: Int32(truncatingIfNeeded: lat))
      (west, east) = (min(west, point.lon), max(east, point.lon))
      (south, north) = (min(south, point.lat), max(north, point.lat))
      points.append(point)
    }
    let units = Double(unitsPerDegree)
    return Outlines.Line(
      kind: kind, points: first..<points.count, west: Double(west) / units, east: Double(east) / units,
      south: Double(south) / units, north: Double(north) / units)
  }

  private func zigzag(_ number: UInt64) -> Int64 {
    number & 1 == 0 ? Int64(number >> 1) : -Int64(number >> 1) - 1
  }
}
