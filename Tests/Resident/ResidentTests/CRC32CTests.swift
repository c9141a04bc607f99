import CCRC32C
import Resident
import TestSupport
import Testing

/// The definition, a bit at a time: RFC 3720, appendix B.4, with polynomial, input and output reflected.
private func reference(_ bytes: some Sequence<UInt8>) -> UInt32 {
  ~bytes.reduce(~UInt32(0)) { crc, byte in
    (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in (crc >> 1) ^ (crc & 1 == 0 ? 0 : CRC32CTable.polynomial) }
  }
}

private func byTable(_ bytes: some Sequence<UInt8>) -> UInt32 {
  ~Array(bytes).withUnsafeBytes { CRC32CTable.update(~0, $0) }
}

@Suite("CRC32C")
struct CRC32CTests {
  /// RFC 3720, appendix B.4 prints the checksums as they go over the wire, lowest byte first.
  static let vectors: [(name: String, bytes: [UInt8], checksum: UInt32)] = [
    ("32 zeros", [UInt8](repeating: 0, count: 32), 0x8a91_36aa),
    ("32 ones", [UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
    ("32 incrementing", Array(0..<32), 0x46dd_794e),
    ("32 decrementing", (0..<32).reversed(), 0x113f_db5c),
    (
      "iSCSI read",
      [
        0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0,
        0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0,
      ], 0xd996_3a56
    ),
    ("check value", Array("123456789".utf8), 0xe306_9283),
    ("nothing", [], 0),
  ]

  @Test(arguments: vectors.indices) func `the vectors of RFC 3720 hold`(_ index: Int) {
    let (name, bytes, checksum) = Self.vectors[index]
    #expect(CRC32C.checksum(of: bytes) == checksum, "\(name)")
    #expect(byTable(bytes) == checksum, "\(name), by table")
    #expect(reference(bytes) == checksum, "\(name), by reference")
  }

  @Test func `every length up to 520 at every alignment equals the reference`() {
    let bytes = seededBytes(count: 536, seed: 1)
    for length in 0...520 {
      let start = length % 9
      let slice = bytes[start..<(start + length)]
      #expect(CRC32C.checksum(of: slice) == reference(slice), "length \(length)")
      #expect(byTable(slice) == reference(slice), "length \(length), by table")
    }
  }

  @Test(arguments: [1, 2]) func `lengths around one and two rounds of three streams equal the table`(rounds: Int) {
    let whole = rounds * 3 * Int(CITIES_CRC32C_BLOCK)
    let bytes = seededBytes(count: whole + 20, seed: 2)
    for length in [whole - 9, whole - 1, whole, whole + 1, whole + 8, whole + 17] {
      #expect(CRC32C.checksum(of: bytes[3..<(3 + length)]) == byTable(bytes[3..<(3 + length)]), "length \(length)")
    }
  }

  @Test func `the constant that joins the streams is x to the bits of a block`() {
    let power = (0..<17).reduce(UInt32(1) << 30) { power, _ in cities_crc32c_multiply(power, power) }
    #expect(8 * Int(CITIES_CRC32C_BLOCK) == 1 << 17)
    #expect(power == CITIES_CRC32C_SHIFT_BLOCK)
  }

  @Test func `pieces give the checksum of the whole, wherever it is cut`() {
    let bytes = seededBytes(count: 100, seed: 3)
    for cut in 0...bytes.count {
      var running = CRC32C.Running()
      bytes[..<cut].withUnsafeBytes { running.update($0) }
      bytes[cut...].withUnsafeBytes { running.update($0) }
      #expect(running.value == reference(bytes), "cut at \(cut)")
    }
  }
}

/// Random bytes, the same for the same seed.
func seededBytes(count: Int, seed: UInt64) -> [UInt8] {
  var generator = SeededGenerator(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
