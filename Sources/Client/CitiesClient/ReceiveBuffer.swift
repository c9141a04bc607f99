internal import CitiesProtocol
internal import Glibc

/// The bytes that were received and not yet used; its memory is taken once and used again.
///
/// Plain memory instead of an array, because an array would have to be filled with zeros before recv(2) may write to
/// it: that touches every page of a buffer of which a short reply needs one.
final class ReceiveBuffer {
  /// Enough for the usual reply of 20 rows.
  private static let initialCapacity = 16 * 1024

  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: initialCapacity, alignment: 8)
  private var start = 0
  private var end = 0

  deinit { memory.deallocate() }

  /// What was received and not used.
  var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

  /// Gives up the first `count` unread bytes.
  func consume(_ count: Int) {
    start += count
    if start == end { discard() }
  }

  /// Gives up everything.
  func discard() {
    start = 0
    end = 0
  }

  /// One recv(2) of at most what there is room for, which is at least `wanted` bytes.
  ///
  /// - Returns: what recv(2) returned: a count, 0 at the end, −1 with `errno`.
  func receive(from descriptor: Int32, wanted: Int) -> Int {
    makeRoom(for: wanted)
    let room = UnsafeMutableRawBufferPointer(rebasing: memory[end...])
    let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
    if count > 0 { end += count }
    return count
  }

  /// Moves the unread bytes to the front, and to larger memory where they and `wanted` more do not fit.
  private func makeRoom(for wanted: Int) {
    guard memory.count - end < wanted else { return }
    let unread = self.unread
    let old = memory
    if unread.count + wanted > old.count {
      let capacity = max(unread.count + wanted, 2 * old.count)
      memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
    }
    memory.copyMemory(from: unread)
    (start, end) = (0, unread.count)
    if memory.count != old.count { old.deallocate() }
  }
}
