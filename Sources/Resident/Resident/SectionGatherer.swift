import System

/// The bytes of a section before they are written: in memory, or in a temporary file.
struct SectionBytes: Sendable {
  private enum Part {
    case memory([UInt8])
    case spilled(SpillFile, Range<Int>)
  }

  private var parts: [Part] = []
  private(set) var count = 0
  private var sum = CRC32C.Running()

  /// The checksum of all bytes.
  var checksum: UInt32 { sum.value }

  /// A section of no bytes.
  init() {}

  /// A section in memory.
  init(_ bytes: [UInt8]) { append(bytes, nil) }

  /// Appends `bytes`, or their `place` in a file if there is one.
  mutating func append(_ bytes: [UInt8], _ place: (file: SpillFile, range: Range<Int>)?) {
    count += bytes.count
    bytes.withUnsafeBytes { sum.update($0) }
    parts.append(place.map { Part.spilled($0.file, $0.range) } ?? .memory(bytes))
  }

  /// Moves parts from memory to where `write` puts them; parts for which it returns `nil` stay.
  mutating func move(_ write: ([UInt8]) -> (file: SpillFile, range: Range<Int>)?) {
    for index in parts.indices {
      guard case .memory(let bytes) = parts[index], let place = write(bytes) else { continue }
      parts[index] = .spilled(place.file, place.range)
    }
  }

  /// Calls `body` with the bytes, piece by piece.
  func forEachPiece<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    for part in parts {
      switch part {
      case .spilled(let file, let range): try file.forEachPiece(of: range, body)
      case .memory(let bytes): try bytes[...].passBytes(to: body)
      }
    }
  }
}

/// Collects the sections of a file while they are built; above a limit of memory, in a temporary file.
///
/// ```swift
/// var gatherer = SectionGatherer()
/// try builder.build(row: encode) { section, bytes in gatherer.take(FourBytes(section.rawValue), bytes) }
/// let sections = try gatherer.finish(["ROWS", "ROFF"])
/// ```
///
/// An index of five million cities has more than a gigabyte. If no temporary file can be made, or the disk is full, the
/// sections stay in memory.
package struct SectionGatherer {
  /// The most bytes kept in memory: more than the index of the shipped list needs.
  package static let memoryLimit = 128 << 20

  private let limit: Int
  private var sections: [FourBytes: SectionBytes] = [:]
  /// Bytes in memory, until spilling starts.
  private var inMemory = 0
  private var isSpilling = false
  private var file: SpillFile?
  private var isFileUsable = true

  /// Keeps sections in memory up to `memoryLimit` bytes in total.
  package init(memoryLimit: Int = Self.memoryLimit) { limit = memoryLimit }

  /// Adds a section, or the next piece of one.
  package mutating func take(_ name: FourBytes, _ bytes: [UInt8]) {
    if !isSpilling, inMemory + bytes.count > limit {
      isSpilling = true
      for name in Array(sections.keys) {
        guard var section = sections.removeValue(forKey: name) else { continue }
        section.move { spill($0) }
        sections[name] = section
      }
    }
    let place = isSpilling ? spill(bytes) : nil
    inMemory += bytes.count
    sections[name, default: SectionBytes()].append(bytes, place)
  }

  private mutating func spill(_ bytes: [UInt8]) -> (file: SpillFile, range: Range<Int>)? {
    guard isFileUsable else { return nil }
    if file == nil { file = SpillFile() }
    guard let file, let range = file.append(bytes) else {
      isFileUsable = false
      return nil
    }
    return (file, range)
  }

  /// The sections with these names, in this order; missing ones are left out.
  ///
  /// - Throws: ``SystemError`` if the temporary file cannot be read.
  consuming func finish(_ names: [FourBytes]) throws(SystemError) -> [(name: FourBytes, bytes: SectionBytes)] {
    try file?.finish()
    return names.compactMap { name in sections[name].map { (name: name, bytes: $0) } }
  }
}

extension ArraySlice<UInt8> {
  func passBytes<Failure: Error>(to body: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    guard !isEmpty else { return }
    let result: Result<Void, Failure> = withUnsafeBytes { piece in
      do throws(Failure) { return .success(try body(piece)) } catch { return .failure(error) }
    }
    try result.get()
  }
}
