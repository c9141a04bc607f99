/// CRC32C by table, for CPUs without the instruction: eight bytes a step.
///
/// The method is "slicing by eight" (M. Kounavis and F. Berry, "A Systematic Approach to Building High Performance
/// Software-Based CRC Generators", ISCC 2005): table k holds the effect of a byte that has k bytes behind it in the step.
package enum CRC32CTable {
  /// The polynomial 0x1EDC6F41 with its bits reversed, as the algorithm shifts to the right.
  package static let polynomial: UInt32 = 0x82f6_3b78

  /// Eight tables of 256 entries, back to back; made at first use, in about 20 µs.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      tables[byte] = (0..<8).reduce(UInt32(byte)) { crc, _ in (crc >> 1) ^ (crc & 1 == 0 ? 0 : polynomial) }
    }
    for entry in 256..<tables.count {
      let before = tables[entry - 256]
      tables[entry] = (before >> 8) ^ tables[Int(before & 0xff)]
    }
    return tables
  }()

  /// Continues the register `crc` over `bytes`; the caller inverts it before and after.
  ///
  /// - Complexity: O(count of `bytes`).
  package static func update(_ crc: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = crc
    let steps = bytes.count / 8
    for step in 0..<steps {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: step * 8, as: UInt64.self)) ^ UInt64(crc)
      crc = (0..<8).reduce(0) { $0 ^ tables[(7 - $1) * 256 + Int(word >> UInt64($1 * 8) & 0xff)] }
    }
    for byte in bytes[(steps * 8)...] {
      crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(byte)) & 0xff)]
    }
    return crc
  }
}
