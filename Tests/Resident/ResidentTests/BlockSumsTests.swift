import Base
import Glibc
import TestSupport
import Testing

@testable import Resident

private let kind = ResidentKind(
  code: "TEST", name: "test file", fileName: "test.resident", rowVersion: 7, remedy: "rebuild")

/// A file of five blocks and a bit.
private let image = ResidentImage(
  kind: kind, fingerprint: 1,
  sections: [
    ("META", [1, 2, 3]), ("ROWS", seededBytes(count: 200_000, seed: 5)), ("KEYS", seededBytes(count: 150_001, seed: 6)),
  ])

@Suite("Checksums of blocks")
struct BlockSumsTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try MappingFaults.install()
  }

  private func open(_ bytes: [UInt8]) throws -> ResidentFile {
    try ResidentFile(path: try folder.write("file", bytes), kind: kind, verify: .onUse)
  }

  @Test func `a file of more than a block has a sum for each, after all other sections`() throws {
    let sums = try #require(image.header.sections.last)
    #expect(sums.name == BlockSums.section)
    #expect(sums.length == UInt64(4 * ((Int(sums.offset) + BlockSums.blockSize - 1) / BlockSums.blockSize)))
    let small = ResidentImage(
      kind: kind, fingerprint: 1, sections: [("ROWS", [UInt8](repeating: 0, count: BlockSums.blockSize))])
    #expect(small.header.sections.map(\.name) == ["ROWS"])
  }

  @Test func `a sound file reads the same whether it is summed at opening or on use`() throws {
    let file = try open(image.bytes)
    #expect(file.unverifiedBlocks == 6)
    #expect(withExtendedLifetime(file) { Array(file.bytes) } == image.bytes)
    #expect(!file.hasFaulted && file.damage == nil)
    try file.verifyContent()
  }

  @Test func `a damaged block is noticed when it is read, not before, and reads as zeros`() throws {
    var bytes = image.bytes
    let damaged = 2 * BlockSums.blockSize + 77
    bytes[damaged] ^= 0x40
    let file = try open(bytes)
    #expect(
      Array(file.bytes[BlockSums.blockSize..<(2 * BlockSums.blockSize)])
        == Array(bytes[BlockSums.blockSize..<(2 * BlockSums.blockSize)]))
    #expect(!file.hasFaulted)
    let faults = MappingFaults.counter.pointee
    #expect(file.bytes[damaged] == 0)
    #expect(file.hasFaulted && file.isDamaged)
    #expect(MappingFaults.counter.pointee != faults)
    guard case .sectionChecksum(section: "ROWS", _, _) = file.damage else {
      Issue.record("damage of \(String(describing: file.damage))")
      return
    }
  }

  @Test func `every changed byte is found by the time all blocks were compared`() throws {
    let whole = image.bytes
    var random = SeededGenerator(seed: 9)
    let offsets = (0..<200).map { _ in Int.random(in: 0..<whole.count, using: &random) } + [0, whole.count - 1]
    for offset in offsets {
      var bytes = whole
      bytes[offset] ^= 1
      guard let file = try? open(bytes) else { continue }
      file.verify(0..<file.unverifiedBlocks)
      #expect(file.damage != nil, "byte \(offset)")
    }
  }

  @Test func `a file without sums is summed at opening`() throws {
    let small = ResidentImage(kind: kind, fingerprint: 1, sections: [("ROWS", seededBytes(count: 500, seed: 1))])
    var bytes = small.bytes
    #expect(try open(bytes).unverifiedBlocks == 0)
    bytes[bytes.count - 1] ^= 1
    #expect(throws: ResidentError.self) { try open(bytes) }
  }

  @Test func `sums of another size than the file needs are refused`() throws {
    // The section that only looks like sums: a reader must not follow its size.
    let odd = ResidentImage(kind: kind, fingerprint: 1, sections: [("META", [1]), ("ROWS", [1, 2, 3])])
    var bytes = odd.bytes
    let name = 64 + 24
    bytes.replaceSubrange(name..<(name + 4), with: Array("SUMS".utf8))
    let checksum = CRC32C.checksum(of: Array(bytes[..<60] + bytes[64..<(64 + 48)]))
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(60..<64, with: $0) }
    #expect(throws: ResidentError.self) { try open(bytes) }
  }
}
