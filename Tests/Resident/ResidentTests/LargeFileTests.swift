import Cities
import Glibc
import Resident
import TestSupport
import Testing

private let cities = (1...2_000).map { number in
  City(
    id: UInt64(number), name: "Town \(number)", country: "EE", latitude: Double(number % 90), longitude: 24.75,
    population: UInt64(number))
}

private func image(memoryLimit: Int = SectionGatherer.memoryLimit) throws -> ResidentImage {
  var builder = CityIndexBuilder()
  for city in cities { _ = try builder.add(city) }
  return try ResidentCities.image(of: builder, fingerprint: 1, memoryLimit: memoryLimit)
}

@Suite("Large files")
struct LargeFileTests {
  let folder: TemporaryFolder
  var path: String { folder.path("cities.index") }

  init() throws { folder = try TemporaryFolder() }

  @Test(
    arguments: [0, 1, 5_000, 90_000])
  func `sections that wait in a temporary file give the same bytes as those in memory`(memoryLimit: Int) throws {
    let expected = try image()
    let made = try image(memoryLimit: memoryLimit)
    #expect(made.header == expected.header && made.bytes == expected.bytes)
    try made.write(to: path)
    let resident = try ResidentCities(path: path)
    try resident.verify()
    #expect(made.difference(from: resident.file) == nil)
  }

  @Test func `an index whose sections start beyond 4 GiB is opened, and answers`() throws {
    try writeShifted(by: 5 << 30)
    let resident = try ResidentCities(path: path, verify: .header)
    #expect(resident.file.bytes.count > 5 << 30 && resident.count == cities.count)
    try resident.prove(0..<resident.count)
    for rank in 0..<resident.count {
      #expect(resident.index.positions(id: resident.index.id(at: rank)).count == 1)
    }
    var matches = CityMatches()
    Array("town 1999, ee".utf8).withUnsafeBytes { resident.index.search($0, mode: .plain, into: &matches) }
    #expect(matches.total == 1)
    var bytes: [UInt8] = []
    resident.index.withRows(matches, offset: 0, limit: 1) { bytes += $0 }
    #expect(String(decoding: bytes, as: UTF8.self).contains("Town 1999"))
    withExtendedLifetime(resident) {}
  }

  /// Writes the index with a section of `gap` zeros before all others, which takes no room on a disk.
  private func writeShifted(by gap: UInt64) throws {
    let image = try image()
    var header = image.header
    let hole = ResidentHeader.Section(
      name: "HOLE", checksum: 0, offset: 0, length: gap, of: header)
    header.sections.insert(hole, at: 0)
    var end = UInt64(ResidentHeader.size + header.sections.count * ResidentHeader.entrySize)
    for index in header.sections.indices {
      header.sections[index].offset = ResidentHeader.aligned(end)
      end = header.sections[index].offset + header.sections[index].length
    }
    header.fileSize = end
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let whole = image.bytes
    let head = header.encoded
    try #require(ftruncate(file, Int(end)) == 0 && pwrite(file, head, head.count, 0) == head.count)
    for (old, new) in zip(image.header.sections, header.sections.dropFirst()) where old.length > 0 {
      let bytes = Array(whole[Int(old.offset)..<Int(old.offset + old.length)])
      try #require(pwrite(file, bytes, bytes.count, Int(new.offset)) == bytes.count)
    }
  }
}

extension ResidentHeader.Section {
  /// A section like another one of a header, with other numbers.
  fileprivate init(name: FourBytes, checksum: UInt32, offset: UInt64, length: UInt64, of header: ResidentHeader) {
    self = header.sections[0]
    (self.name, self.checksum, self.offset, self.length) = (name, checksum, offset, length)
  }
}
