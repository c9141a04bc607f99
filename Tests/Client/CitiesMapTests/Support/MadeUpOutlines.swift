@testable import CitiesMap

/// Writes the format of outlines, for tests.
enum MadeUpOutlines {
  /// One line: its kind's number and its points in units.
  typealias Line = (kind: UInt64, points: [(Int, Int)])

  /// A file of the scales given, with the right checksum.
  static func file(units: UInt64 = 100, _ scales: [(millions: UInt64, lines: [Line])]) -> [UInt8] {
    var body = varint(units) + varint(UInt64(scales.count))
    for scale in scales {
      body += varint(scale.millions) + varint(UInt64(scale.lines.count))
      for line in scale.lines {
        body += varint(line.kind) + varint(UInt64(line.points.count))
        var before = (0, 0)
        for point in line.points {
          body += zigzag(point.0 - before.0) + zigzag(point.1 - before.1)
          before = point
        }
      }
    }
    return sealed(body)
  }

  /// `body` after the head that belongs to it.
  static func sealed(_ body: [UInt8]) -> [UInt8] {
    // Adler-32 by its definition (RFC 1950 §9).
    var (low, high) = (1, 0)
    for byte in body { (low, high) = ((low + Int(byte)) % 65_521, (high + low + Int(byte)) % 65_521) }
    let checksum = UInt32(high) << 16 | UInt32(low)
    return Array("CITYLINE".utf8) + [1] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> $0) } + body
  }

  static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
  }

  static func zigzag(_ number: Int) -> [UInt8] { varint(UInt64(number < 0 ? -2 * number - 1 : 2 * number)) }

  /// A file with a triangle of coast and a border, in two scales.
  static let small = file([
    (110, [(0, [(0, 0), (1_000, 0), (0, 1_000), (0, 0)])]),
    (
      50,
      [
        (0, [(0, 0), (1_000, 0), (0, 1_000), (0, 0)]), (1, [(0, 0), (500, 500)]),
        (1, [(17_000, -9_000), (18_000, 9_000)]),
      ]
    ),
  ])
}

extension Outlines {
  /// Reads any bytes.
  init(_ bytes: some Sequence<UInt8>) {
    self = Array(bytes).withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) in Outlines(bytes) }
  }
}
