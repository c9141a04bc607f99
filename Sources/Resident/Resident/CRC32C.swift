import CCRC32C

/// CRC32C, the Castagnoli checksum of iSCSI (RFC 3720, appendix B.4), which protects every section of a resident file.
///
/// ```swift
/// CRC32C.checksum(of: "123456789".utf8) == 0xE306_9283
/// ```
///
/// Uses the CPU's instruction if there is one (x86_64 since 2008, every 64-bit Arm server), at the speed of memory;
/// else a table, about forty times slower. It detects disk errors, truncated copies and flipped bits, but not
/// deliberate changes, so readers still check every offset.
package enum CRC32C {
  /// Whether this CPU has the instruction; determined once.
  package static let hasInstruction = cities_crc32c_available() != 0

  /// The checksum of `bytes`.
  ///
  /// - Complexity: O(count of `bytes`); measured at 15 GB/s with the instruction, from memory.
  package static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var checksum = Running()
    checksum.update(bytes)
    return checksum.value
  }

  /// The checksum of an array or a string's UTF-8.
  package static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
    let contiguous = bytes.withContiguousStorageIfAvailable { checksum(of: UnsafeRawBufferPointer($0)) }
    return contiguous ?? Array(bytes).withUnsafeBytes { checksum(of: $0) }
  }

  /// A checksum of bytes that arrive in pieces.
  package struct Running: Sendable {
    private var register = ~UInt32(0)

    /// A checksum of no bytes.
    package init() {}

    /// The checksum of all bytes so far.
    package var value: UInt32 { ~register }

    /// Adds `bytes` at the end.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      guard let start = bytes.baseAddress else { return }
      register =
        CRC32C.hasInstruction
        ? cities_crc32c_update(register, start, bytes.count) : CRC32CTable.update(register, bytes)
    }
  }
}

/// CRC32C by table, for CPUs without the instruction: eight bytes per step.
///
/// The method is "slicing by eight" (M. Kounavis and F. Berry, "A Systematic Approach to Building High Performance
/// Software-Based CRC Generators", ISCC 2005): table k holds the effect of a byte with k more bytes after it in the
/// step.
package enum CRC32CTable {
  /// The polynomial 0x1EDC6F41 with its bits reversed, because the algorithm shifts to the right.
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
      let word = bytes.load(littleEndian: UInt64.self, at: step * 8) ^ UInt64(crc)
      crc = (0..<8).reduce(UInt32(0)) { (sum: UInt32, place: Int) -> UInt32 in
        let byte = Int(truncatingIfNeeded: word >> UInt64(place * 8)) & 0xff
        return sum ^ tables[(7 - place) * 256 + byte]
      }
    }
    for byte in bytes[(steps * 8)...] {
      crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(byte)) & 0xff)]
    }
    return crc
  }
}
