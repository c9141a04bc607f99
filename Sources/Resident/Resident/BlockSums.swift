import CMappings

/// The section `SUMS`: a checksum per 64 KiB block of a resident file, so that a reader verifies only the blocks it
/// reads.
///
/// Verifying a whole file by its sections' checksums takes 2 ms for 33 MB, before the first answer. A query reads about
/// 20 blocks, which takes 0.1 ms to verify. The sums are the last section, one little-endian UInt32 per block with
/// bytes between the section table and this section; the header's checksum covers header and table, and the section
/// table has the checksum of this section. A file of at most one block has no sums, which would gain nothing.
///
/// Older readers ignore the section, and newer ones accept files without it.
package enum BlockSums {
  /// The section's name.
  package static let section: FourBytes = "SUMS"
  /// Bytes of a block; blocks start at multiples of it from the start of the file.
  package static let blockSize = Int(CITIES_MAPPING_BLOCK)

  /// The section for a file whose bytes before it are `pieces`, from the offset `first` on.
  ///
  /// - Complexity: O(n) in the bytes.
  static func encoded(first: Int, _ pieces: (_ take: (UnsafeRawBufferPointer) -> Void) -> Void) -> [UInt8] {
    var sums: [UInt8] = []
    var sum = CRC32C.Running()
    var offset = first
    pieces { piece in
      var rest = piece[...]
      while !rest.isEmpty {
        let room = blockSize - offset % blockSize
        let part = rest.prefix(room)
        sum.update(UnsafeRawBufferPointer(rebasing: part))
        rest = rest.dropFirst(part.count)
        offset += part.count
        guard offset.isMultiple(of: blockSize) else { continue }
        sums.append(littleEndian: sum.value)
        sum = CRC32C.Running()
      }
    }
    if !offset.isMultiple(of: blockSize) { sums.append(littleEndian: sum.value) }
    return sums
  }

  /// The bytes that the sums cover; `nil` if the file has no sums.
  ///
  /// - Throws: ``ResidentFault`` if the section's size does not match these bytes.
  static func range(in header: ResidentHeader) throws(ResidentFault) -> Range<Int>? {
    guard let entry = header.sections.last, entry.name == section else { return nil }
    let first = ResidentHeader.size + header.sections.count * ResidentHeader.entrySize
    let end = Int(entry.offset)
    let count = (end + blockSize - 1) / blockSize - first / blockSize
    guard first < end, entry.length == UInt64(4 * count) else {
      throw .contents("section \(section) has \(entry.length) bytes, expected \(4 * count)")
    }
    return first..<end
  }
}

/// The sums of a covered file, at a fixed address because a signal handler reads them.
final class CoverSums: Sendable {
  // Never changed after `init`.
  nonisolated(unsafe) let start: UnsafePointer<UInt32>
  private let count: Int

  /// Copies the section.
  init(_ section: UnsafeRawBufferPointer) {
    count = section.count / 4
    let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: max(count, 1))
    for index in 0..<count { (memory + index).initialize(to: section.load(littleEndian: UInt32.self, at: 4 * index)) }
    start = UnsafePointer(memory)
  }

  deinit { start.deallocate() }
}
