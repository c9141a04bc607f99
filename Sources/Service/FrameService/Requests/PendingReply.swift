package import CBOR
package import CitiesProtocol

/// An answer that is promised for later.
///
/// It belongs to the loop's thread.
package final class PendingReply {
  private weak var connection: Connection?
  private let id: UInt64
  private var cancellation: (() -> Void)?

  init(_ connection: Connection, id: UInt64) {
    self.connection = connection
    self.id = id
  }

  /// Calls `action` once, on the loop's thread, if the connection closes before the answer; not after an answer.
  ///
  /// A handler that keeps the reply in a list removes it there. A later call replaces the action.
  package func onCancel(_ action: @escaping () -> Void) { cancellation = action }

  /// The connection has closed: nobody waits any more.
  func cancel() {
    let action = cancellation
    cancellation = nil
    action?()
  }

  /// Whether the connection still waits for it.
  package var isWanted: Bool { connection?.isWaiting(for: self) ?? false }

  /// Answers with the one item that `write` appends, or with the error it throws.
  ///
  /// A second answer, or one to a connection that is gone, does nothing.
  package func answer(_ write: (inout CBORWriter) throws(WireError) -> Void) {
    guard let connection, isWanted else { return }
    cancellation = nil
    connection.finishWaiting(id: id, write)
  }

  /// Answers with a result.
  package func succeed<Value: Encodable>(_ value: Value) {
    answer { (reply: inout CBORWriter) throws(WireError) in try reply.write(value) }
  }

  /// Answers with an error.
  package func fail(_ error: WireError) {
    answer { (_: inout CBORWriter) throws(WireError) in throw error }
  }
}

/// A connection that gets events, as long as it lives.
///
/// It belongs to the loop's thread.
package final class Subscription {
  private weak var connection: Connection?
  private let id: UInt64

  init(_ connection: Connection, id: UInt64) {
    self.connection = connection
    self.id = id
  }

  /// Whether the connection is still there.
  package var isOpen: Bool { connection?.isOpen ?? false }

  /// Sends an event, one encoded CBOR item.
  ///
  /// Who has not read too many of them is dropped, with a line in the log.
  package func send(_ event: [UInt8]) { connection?.sendEvent(id: id, event) }
}
