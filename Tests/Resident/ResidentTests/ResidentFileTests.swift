import Base
import Glibc
import ResidentQuestions
import TestSupport
import Testing

@testable import Resident

private let kind = ResidentKind(
  code: "TEST", name: "test file", fileName: "test.resident", rowVersion: 7, remedy: "make-it-anew")

private func image(_ sections: [(name: FourBytes, bytes: [UInt8])], kind: ResidentKind = kind) -> ResidentImage {
  ResidentImage(kind: kind, fingerprint: 0x0102_0304_0506_0708, sections: sections)
}

/// Three sections, one of them empty, none of them a multiple of the alignment.
private let small = image([("META", [1, 2, 3]), ("NONE", []), ("ROWS", seededBytes(count: 100, seed: 5))])

/// A file that was changed at will and given a right header checksum afterwards: what a hostile writer would make.
private func resealed(_ bytes: [UInt8], sections: Int, _ change: (inout [UInt8]) -> Void) -> [UInt8] {
  var bytes = bytes
  change(&bytes)
  let table = bytes[64..<min(bytes.count, 64 + sections * 24)]
  let checksum = CRC32C.checksum(of: Array(bytes[..<60] + table))
  withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(60..<64, with: $0) }
  return bytes
}

/// The file's bytes; the file must outlive the look at its mapping.
private func copy(_ file: ResidentFile) -> [UInt8] {
  withExtendedLifetime(file) { Array(file.bytes) }
}

private func copy(_ file: ResidentFile, _ section: FourBytes) -> [UInt8]? {
  withExtendedLifetime(file) { file[section].map(Array.init) }
}

@Suite("Resident file")
struct ResidentFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ bytes: [UInt8], as expected: ResidentKind = kind, verify: ResidentFile.Verification = .all
  ) throws -> ResidentFile {
    try ResidentFile(path: try folder.write("file", bytes), kind: expected, verify: verify)
  }

  private func fault(_ bytes: [UInt8], verify: ResidentFile.Verification = .all) -> ResidentFault? {
    do {
      _ = try open(bytes, verify: verify)
      return nil
    } catch {
      return (error as? ResidentError)?.fault
    }
  }

  @Test func `what was written is read back, section by section`() throws {
    let path = folder.path("small.resident")
    try small.write(to: path)
    let file = try ResidentFile(path: path, kind: kind)
    #expect(copy(file, "META") == [1, 2, 3])
    #expect(copy(file, "NONE") == [])
    #expect(copy(file, "ROWS") == seededBytes(count: 100, seed: 5))
    #expect(copy(file, "OTHR") == nil)
    #expect(file.header == small.header)
    #expect(file.generation == small.generation)
    #expect(copy(file) == small.bytes)
    try file.verifyContent()
    #expect(throws: ResidentError(path: path, fault: .missingSection("OTHR"), remedy: "make-it-anew")) {
      try file.section("OTHR")
    }
  }

  @Test func `the bytes of a small file are these, and stay these`() {
    let bytes = image([("ROWS", [0xaa, 0xbb])]).bytes
    let text = bytes.map { hexadecimal(UInt64($0), digits: 2) }.joined()
    let expected = [
      "894354590d0a1a0a", "01000000", "54455354", "07000000", "01000000",  // magic, format 1, TEST, rows 7, 1 section
      "8200000000000000", "0807060504030201", "c94fd4940834df47",  // 130 bytes, fingerprint, content hash
      "000000000000000000000000", "aaef1911",  // reserved, CRC32C of header and table
      "524f5753", "8d44e4e4", "8000000000000000", "0200000000000000",  // ROWS, its CRC32C, at 128, 2 bytes
      String(repeating: "0", count: 80), "aabb",
    ]
    #expect(text == expected.joined())
  }

  @Test func `the same input gives the same bytes, another input another generation`() {
    let again = image([("META", [1, 2, 3]), ("NONE", []), ("ROWS", seededBytes(count: 100, seed: 5))])
    #expect(again.bytes == small.bytes)
    #expect(image([("META", [1, 2, 4])]).generation != image([("META", [1, 2, 3])]).generation)
    #expect(image([("META", [1, 2, 3])]).generation != image([("ROWS", [1, 2, 3])]).generation)
    #expect(image([("META", [1])]).generation.description.count == 16)
  }

  @Test(arguments: [0, 1, 2, 3, 63, 64])
  func `every number of sections up to the limit is laid out in order and aligned`(count: Int) throws {
    let sections = (0..<count).map { (name: FourBytes("S\($0)"), bytes: seededBytes(count: $0 * 3, seed: UInt64($0))) }
    let file = try open(image(sections).bytes)
    for (name, bytes) in sections { #expect(copy(file, name) == bytes) }
    #expect(file.header.sections.allSatisfy { $0.offset % 64 == 0 })
  }

  @Test func `a file that is larger than its kind may be is refused before it is summed`() throws {
    let path = folder.path("large.resident")
    try small.write(to: path)
    // A sparse file takes no space on the disk, and hours to be summed.
    #expect(truncate(path, 1 << 40) == 0)
    let error = #expect(throws: ResidentError.self) { try ResidentFile(path: path, kind: kind, verify: .all) }
    #expect(error?.fault == .table("\(1 << 40) bytes, expected \(1 << 30) at most"))
  }

  @Test func `a file that is cut off at any length is refused`() {
    let whole = small.bytes
    for length in 0..<whole.count {
      #expect(fault(Array(whole[..<length]), verify: .header) != nil, "\(length) of \(whole.count) bytes")
    }
    #expect(fault([]) == .empty)
    #expect(fault(whole + [0]) == .size(expected: UInt64(whole.count), found: UInt64(whole.count + 1)))
  }

  @Test func `a file with any single bit flipped is refused, padding included`() {
    let whole = small.bytes
    for bit in 0..<(whole.count * 8) {
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(fault(bytes) != nil, "byte \(bit / 8), bit \(bit % 8)")
    }
  }

  @Test func `a flipped bit in a section passes a header check and fails the section check`() throws {
    var bytes = small.bytes
    bytes[bytes.count - 1] ^= 1
    let file = try open(bytes, verify: .header)
    #expect(throws: ResidentError.self) { try file.verifySections() }
    #expect(throws: ResidentError.self) { try file.verifyContent() }
    #expect(fault(bytes) != nil)
  }

  @Test func `a header that lies about the content is found by the full check`() throws {
    let bytes = resealed(small.bytes, sections: 3) { $0[40] ^= 1 }
    let file = try open(bytes)
    #expect(throws: ResidentError.self) { try file.verifyContent() }
  }

  @Test func `foreign files are refused by what they are`() throws {
    #expect(fault(Array("[{\"_id\":1}]".utf8)) == .foreign(found: Array("[{\"_id\":".utf8)))
    #expect(fault([0x1f, 0x8b]) == .foreign(found: [0x1f, 0x8b]))
    #expect(fault([UInt8](repeating: 0, count: 5000)) == .foreign(found: [UInt8](repeating: 0, count: 8)))
    #expect(throws: ResidentError(path: folder.path("none"), fault: .absent, remedy: "make-it-anew")) {
      try ResidentFile(path: folder.path("none"), kind: kind)
    }
    #expect(throws: ResidentError(path: folder.path, fault: .notRegular, remedy: "make-it-anew")) {
      try ResidentFile(path: folder.path, kind: kind)
    }
  }

  @Test(.timeLimit(.minutes(5))) func `a pipe is refused without waiting for its other end`() {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(throws: ResidentError(path: folder.path("pipe"), fault: .notRegular, remedy: "make-it-anew")) {
      try ResidentFile(path: folder.path("pipe"), kind: kind)
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs root to give things away"))
  func `a link of another user in a file's place is refused by its owner`() throws {
    try folder.write("file", small.bytes)
    #expect(symlink("file", folder.path("link")) == 0)
    #expect(throws: Never.self) { try ResidentFile(path: folder.path("link"), kind: kind) }
    #expect(lchown(folder.path("link"), 12_345, 23_456) == 0)
    let error = #expect(throws: ResidentError.self) { try ResidentFile(path: folder.path("link"), kind: kind) }
    #expect(error?.fault == .link(owner: 12_345))
  }

  @Test func `older and newer versions and other kinds are refused by name`() {
    func other(_ change: (inout ResidentKind) -> Void) -> [UInt8] {
      var other = kind
      change(&other)
      return image([("META", [1])], kind: other).bytes
    }
    #expect(fault(other { $0.rowVersion = 6 }) == .rowVersion(expected: 7, found: 6))
    #expect(fault(other { $0.rowVersion = 8 }) == .rowVersion(expected: 7, found: 8))
    #expect(fault(other { $0.code = "BANK" }) == .kind(expected: "TEST", found: "BANK"))
    for version: UInt8 in [0, 2, 255] {
      let bytes = resealed(small.bytes, sections: 3) { $0[8] = version }
      #expect(fault(bytes) == .formatVersion(expected: 1, found: UInt32(version)))
    }
  }

  @Test(
    arguments: [
      (20, [0xff, 0xff, 0xff, 0xff]), (20, [65, 0, 0, 0]), (20, [0, 0, 0, 0]), (20, [2, 0, 0, 0]), (24, [0]),
      (31, [0xff]), (48, [1]), (59, [1]), (72, [0]), (72, [0xc1]), (79, [0xff]), (80, [65]), (80, [0xff, 0xff]),
      (87, [0xff]), (87, [0x7f]), (97, [0]), (128, [0xff]), (135, [0x80]), (88, Array("META".utf8)),
    ] as [(Int, [UInt8])])
  func `a hostile section table with a right checksum is refused, not followed`(offset: Int, bytes: [UInt8]) {
    let sections = offset == 20 ? min(Int(bytes[0]), 64) : 3
    let changed = resealed(small.bytes, sections: sections) {
      $0.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
    #expect(fault(changed, verify: .header) != nil)
  }

  @Test(
    arguments: Mutations.parts(of: .headers))
  func `a mutated header with a valid checksum is refused, or is what the writer makes`(part: Mutations) throws {
    let originals = (0...4).map { count in
      image((0..<count).map { (name: FourBytes("S\($0)"), bytes: seededBytes(count: 5 * $0, seed: UInt64($0))) }).bytes
    }
    try part.run { mutator in
      let original = mutator.pick(originals)
      let bytes = mutator.below(4) == 0 ? mutator.mutated(original) : mutator.damaged(original)
      let count = bytes.count < 24 ? 0 : bytes[20..<24].reversed().reduce(0) { $0 << 8 | Int($1) }
      let isSealed = bytes.count >= 64 && (0...64).contains(count) && mutator.below(8) > 0
      let file = isSealed ? resealed(bytes, sections: count) { _ in } : bytes
      if let problem = ResidentQuestions.misreading(ofHeader: file) { Issue.record("\(problem)") }
    }
  }

  @Test func `messages name the file, what was expected, what was found and what to do`() {
    func text(_ fault: ResidentFault) -> String {
      "\(ResidentError(path: "/s/cities.index", fault: fault, remedy: ResidentCities.kind.remedy))"
    }
    let remedy = "; rebuild it: citiesd-sync run --force cities"
    #expect(text(.absent) == "/s/cities.index: there is no such file" + remedy)
    #expect(
      text(.rowVersion(expected: 2, found: 1))
        == "/s/cities.index: row version 1, expected 2: written by an older program" + remedy)
    #expect(
      text(.foreign(found: [0x1f, 0x8b]))
        == "/s/cities.index: not a resident file: expected 89 43 54 59 0d 0a 1a 0a at its start, found 1f 8b" + remedy)
    #expect(
      text(.sectionChecksum(section: "ROWS", expected: 0xabc, found: 1))
        == "/s/cities.index: damaged: the CRC32C of section ROWS is 00000001, expected 00000abc" + remedy)
    #expect(text(.system(call: "open", code: EACCES)) == "/s/cities.index: open: Permission denied" + remedy)
  }

  @Test func `an open file continues to show its bytes when another takes its name`() throws {
    let path = folder.path("small.resident")
    try small.write(to: path)
    let old = try ResidentFile(path: path, kind: kind)
    let next = image([("META", [9])])
    try next.write(to: path)
    #expect(copy(old) == small.bytes)
    #expect(try copy(ResidentFile(path: path, kind: kind)) == next.bytes)
  }
}
