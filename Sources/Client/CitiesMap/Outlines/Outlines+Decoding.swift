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
