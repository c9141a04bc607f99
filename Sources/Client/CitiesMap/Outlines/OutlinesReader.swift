/// Reads numbers of the outlines' format one after the other.
struct OutlinesReader<Bytes: RandomAccessCollection<UInt8>> {
  private let bytes: Bytes
  private var index: Bytes.Index

  /// Stands at the begin of `bytes`.
  init(_ bytes: Bytes) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// Whether nothing is left.
  var isAtEnd: Bool { index == bytes.endIndex }

  /// An error here.
  func invalid(_ what: String) -> OutlinesError {
    .invalid(what, offset: bytes.distance(from: bytes.startIndex, to: index))
  }

  /// The next byte, or `nil` at the end.
  mutating func byte() -> UInt8? {
    guard index != bytes.endIndex else { return nil }
    defer { bytes.formIndex(after: &index) }
    return bytes[index]
  }

  /// The checksum of what was not yet read.
  func checksumOfRest() -> UInt32 { adler32(bytes[index...]) }

  /// A LEB128 number of at most nine bytes within `range`.
  mutating func varint(in range: ClosedRange<UInt64>, _ what: String) throws(OutlinesError) -> UInt64 {
    let number = try varint(what)
    guard range.contains(number) else { throw invalid("\(what) is out of range") }
    return number
  }

  private mutating func varint(_ what: String) throws(OutlinesError) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0, through: 56, by: 7) {
      guard let byte = byte() else { throw invalid("\(what) is cut off") }
      number |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte & 0x80 == 0 { return number }
    }
    throw invalid("\(what) is too long")
  }

  /// One scale.
  mutating func scale(unitsPerDegree: Int64, most: UInt64) throws(OutlinesError) -> Outlines.Scale {
    var scale = Outlines.Scale(millions: try varint(in: 1...1_000, "a scale"))
    let count = try varint(in: 0...most, "the number of lines")
    for _ in 0..<count {
      guard let kind = Outlines.Kind(rawValue: try varint("the kind of a line")) else {
        throw invalid("a line is of no known kind")
      }
      let first = scale.points.count
      let points = try varint(in: 2...most, "the number of points")
      try append(points, to: &scale, unitsPerDegree)
      scale.lines.append(Outlines.Line(kind: kind, points: first..<scale.points.count, in: scale.points))
    }
    return scale
  }

  private mutating func append(
    _ count: UInt64, to scale: inout Outlines.Scale, _ unitsPerDegree: Int64
  ) throws(OutlinesError) {
    var (lon, lat): (Int64, Int64) = (0, 0)
    for _ in 0..<count {
      lon += zigzag(try varint("a longitude"))
      lat += zigzag(try varint("a latitude"))
      guard abs(lon) <= 180 * unitsPerDegree, abs(lat) <= 90 * unitsPerDegree else {
        throw invalid("a point lies beyond the globe")
      }
      scale.points.append(Outlines.Point(lon: Int32(lon), lat: Int32(lat)))
    }
  }

  /// At most nine bytes of seven bits fit into 63, so that no sum of a coordinate and a difference overflows.
  private func zigzag(_ number: UInt64) -> Int64 {
    number & 1 == 0 ? Int64(number >> 1) : -Int64(number >> 1) - 1
  }
}

extension Outlines.Line {
  /// A line and its box.
  fileprivate init(kind: Outlines.Kind, points: Range<Int>, in all: [Outlines.Point]) {
    (self.kind, self.points) = (kind, points)
    (west, east, south, north) = (.max, .min, .max, .min)
    for point in all[points] {
      (west, east) = (min(west, point.lon), max(east, point.lon))
      (south, north) = (min(south, point.lat), max(north, point.lat))
    }
  }
}

/// Adler-32 (RFC 1950 §8.2): it guards against damage, not against intent.
func adler32(_ bytes: some Sequence<UInt8>) -> UInt32 {
  var (low, high): (UInt32, UInt32) = (1, 0)
  for byte in bytes {
    low = (low + UInt32(byte)) % 65_521
    high = (high + low) % 65_521
  }
  return high << 16 | low
}
