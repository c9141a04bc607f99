import Resident
import Testing

@Suite("XXH64")
struct XXH64Tests {
  @Test(
    arguments: [
      ("", 0xef46_db37_51d8_e999),
      ("a", 0xd24e_c4f1_a98c_6e5b),
      ("abc", 0x44bc_2cf5_ad77_0999),
      ("message digest", 0x066e_d728_fcee_b3be),
      ("abcdefghijklmnopqrstuvwxyz", 0xcfe1_f278_fa89_835c),
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xaaa4_6907_d304_7814),
    ] as [(String, UInt64)])
  func `known texts have the hashes that the reference implementation gives them`(text: String, hash: UInt64) {
    #expect(Array(text.utf8).withUnsafeBytes { XXH64.hash(of: $0) } == hash)
  }

  /// Made with python-xxhash 3.x: the hash of the hashes of n bytes `(7 i + n) mod 256`, for n from 0 to 130.
  @Test func `every length up to 130 has the hash that the reference implementation gives it`() {
    var all = XXH64()
    for length in 0...130 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + length) }
      let hash = bytes.withUnsafeBytes { XXH64.hash(of: $0) }
      withUnsafeBytes(of: hash.littleEndian) { all.update($0) }
    }
    #expect(all.value == 0xd6f0_512f_7d8b_5119)
  }

  @Test(arguments: [1, 3, 7, 31, 32, 33, 64, 100])
  func `pieces give the hash of the whole, however it is cut`(size: Int) {
    let bytes = seededBytes(count: 257, seed: 4)
    var hash = XXH64()
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { hash.update($0) }
    }
    #expect(hash.value == bytes.withUnsafeBytes { XXH64.hash(of: $0) })
  }
}
