/// Something the loop watches a descriptor for.
package protocol EventSource: AnyObject {
  /// The descriptor is ready as the bits of `events` say (`linux_readable`, …).
  func ready(_ events: UInt32)
}

/// A source's place in the loop.
///
/// It is spent after ``EventLoop/remove(_:)``.
package struct Registration {
  /// The descriptor that is watched.
  package let descriptor: Int32
  let slot: UInt32
  let turn: UInt32

  /// What epoll carries: a stale event, of a descriptor closed in the same batch, has another turn.
  var token: UInt64 { UInt64(turn) << 32 | UInt64(slot) }
}
