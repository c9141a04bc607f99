import Base
import CMappings

/// The section `SUMS`: a checksum for each block of 64 KiB of a resident file, so that a reader may compare what it
/// reads and leave the rest.
///
/// The sections' own checksums prove a file whole: 2 ms for 33 MB, before the first answer. A question reads a score of
/// blocks, which are summed in 0.1 ms. The sums are in the last section, one little-endian UInt32 for each block that
/// holds bytes between the section table and the section's own start; header and table have their own checksum, which
/// the header declares, and the section has one like all others. A file within one block has none: nothing would be
/// gained.
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

  /// The bytes of a file that its sums stand for; `nil` if it has none.
  ///
  /// - Throws: ``ResidentFault`` if the section has another size than these bytes need.
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

/// The sums of a file that is covered, in memory that stays where it is: a signal handler reads them.
final class CoverSums: Sendable {
  // They never change after they were made.
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
