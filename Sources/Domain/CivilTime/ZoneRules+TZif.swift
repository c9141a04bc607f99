@_exported public import Base

/// Why bytes are not a valid time zone.
package struct ZoneProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, with the expected and the found value.
  package let description: String
  /// Makes a problem.
  init(_ description: String) { self.description = description }
}

extension ZoneRules {
  /// Most bytes of a file; the longest real one has about 4,000.
  package static let maximumFileBytes = 256 << 10
  /// The range of offsets in seconds, which every reader must support (RFC 9636, section 3.2).
  static let offsetRange: ClosedRange<Int32> = -89_999...93_599

  /// Reads a TZif file (RFC 9636) of version 1 to 4.
  ///
  /// From version 2 on, the first block is skipped, and the second one, with 64-bit times, and the footer are read.
  /// Safe for arbitrary bytes: every number is checked before use. Files that count leap seconds (`right/…`) are
  /// refused, because POSIX times do not.
  ///
  /// - Throws: ``ZoneProblem``.
  /// - Complexity: O(n) in the bytes.
  package init(tzif bytes: [UInt8]) throws(ZoneProblem) {
    guard bytes.count <= Self.maximumFileBytes else {
      throw ZoneProblem("a time zone of \(bytes.count) bytes, at most \(Self.maximumFileBytes) are read")
    }
    var reader = TZifReader(bytes[...])
    var header = try reader.header()
    var timeBytes = 4
    if header.version >= 2 {
      _ = try reader.take(header.blockBytes(timeBytes: 4), "the block of 32-bit times")
      header = try reader.header()
      timeBytes = 8
    }
    try header.check()
    transitions = try reader.times(header.times, bytes: timeBytes)
    indices = Array(try reader.take(header.times, "the offset of each transition"))
    let types = try reader.take(6 * header.types, "the offsets")
    let names = try reader.take(header.characters, "the abbreviations")
    offsets = try Self.offsets(Array(types), names: Array(names))
    guard indices.allSatisfy({ $0 < header.types }) else {
      throw ZoneProblem("a transition leads to offset \(indices.max() ?? 0) of \(header.types)")
    }
    _ = try reader.take(header.isStandard + header.isUniversal, "the indicators")
    rule = header.version >= 2 ? try reader.footer() : nil
  }

  private static func offsets(_ types: [UInt8], names: [UInt8]) throws(ZoneProblem) -> [ZoneOffset] {
    var offsets: [ZoneOffset] = []
    for start in stride(from: 0, to: types.count, by: 6) {
      let seconds = Int32(truncatingIfNeeded: bigEndian(types[start..<start + 4]))
      guard offsetRange.contains(seconds) else { throw ZoneProblem("an offset of \(seconds) seconds from UTC") }
      guard types[start + 4] <= 1 else { throw ZoneProblem("expected 0 or 1 for daylight, found \(types[start + 4])") }
      let name = names.dropFirst(Int(types[start + 5]))
      guard let end = name.firstIndex(of: 0) else { throw ZoneProblem("an abbreviation without an end") }
      offsets.append(
        ZoneOffset(
          seconds: seconds, isDaylight: types[start + 4] == 1,
          abbreviation: String(decoding: name[..<end], as: UTF8.self)))
    }
    return offsets
  }
}

/// The counts at the start of a block (RFC 9636, section 3.1).
private struct TZifHeader {
  static let bytes = 44
  var version: Int
  var isUniversal: Int
  var isStandard: Int
  var leaps: Int
  var times: Int
  var types: Int
  var characters: Int

  /// The size of the block after the header, in bytes.
  func blockBytes(timeBytes: Int) -> Int {
    times * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + isStandard + isUniversal
  }

  func check() throws(ZoneProblem) {
    guard types > 0, types <= 256, characters > 0 else {
      throw ZoneProblem("expected 1 to 256 offsets with abbreviations, found \(types) and \(characters) characters")
    }
    guard [0, types].contains(isUniversal), [0, types].contains(isStandard) else {
      throw ZoneProblem("\(isUniversal) and \(isStandard) indicators for \(types) offsets")
    }
    guard leaps == 0 else { throw ZoneProblem("the zone counts \(leaps) leap seconds; take the one that does not") }
  }
}

/// The unread rest of a TZif file.
private struct TZifReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func take(_ count: Int, _ what: String) throws(ZoneProblem) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw ZoneProblem("\(what): expected \(count) bytes, found \(rest.count)") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func header() throws(ZoneProblem) -> TZifHeader {
    let bytes = Array(try take(TZifHeader.bytes, "the header"))
    guard bytes.starts(with: "TZif".utf8) else { throw ZoneProblem("not a TZif file: it does not start with \"TZif\"") }
    guard let version = [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")].firstIndex(of: bytes[4]) else {
      throw ZoneProblem("expected version 1 to 4, found the byte \(bytes[4])")
    }
    let counts = (0..<6).map { Int(bigEndian(bytes[(20 + 4 * $0)..<(24 + 4 * $0)])) }
    return TZifHeader(
      version: version + 1, isUniversal: counts[0], isStandard: counts[1], leaps: counts[2], times: counts[3],
      types: counts[4], characters: counts[5])
  }

  mutating func times(_ count: Int, bytes: Int) throws(ZoneProblem) -> [Int64] {
    let table = Array(try take(count * bytes, "the transitions"))
    let times = (0..<count).map { index in
      let number = bigEndian(table[index * bytes..<(index + 1) * bytes])
      return bytes == 8 ? Int64(bitPattern: number) : Int64(Int32(truncatingIfNeeded: number))
    }
    guard zip(times, times.dropFirst()).allSatisfy(<) else { throw ZoneProblem("the transitions do not ascend") }
    return times
  }

  /// Reads the rule between two line feeds at the end; `nil` if it is empty.
  mutating func footer() throws(ZoneProblem) -> PosixZone? {
    guard rest.first == 0x0A, let end = rest.dropFirst().firstIndex(of: 0x0A) else {
      throw ZoneProblem("expected a footer between two line feeds")
    }
    let text = rest[(rest.startIndex + 1)..<end]
    return text.isEmpty ? nil : try PosixZone(String(decoding: text, as: UTF8.self))
  }
}

/// The number in 4 or 8 bytes, most significant first, not sign-extended.
private func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
  unsafe bytes.withUnsafeBytes { bytes in
    unsafe bytes.count == 8
      ? bytes.load(bigEndian: UInt64.self, at: 0) : UInt64(bytes.load(bigEndian: UInt32.self, at: 0))
  }
}
