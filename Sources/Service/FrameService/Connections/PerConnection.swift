/// Identifies a connection among all, past and future.
public struct ConnectionID: Hashable, Sendable {
  /// A small number, which is reused by later connections.
  public let slot: UInt32
  /// Distinguishes the connection from others with the same slot.
  public let turn: UInt32

  /// Creates the id of the connection at `slot`.
  public init(slot: UInt32, turn: UInt32) { (self.slot, self.turn) = (slot, turn) }

  /// The id of a registered connection; without a registration, one that stores no values.
  init(_ registration: Registration?) {
    self.init(slot: registration?.slot ?? .max, turn: registration?.turn ?? 0)
  }
}

/// A value per connection, whose owner needs no notifications when connections open and close.
///
/// ```swift
/// private var firstAnswers = PerConnection<UInt64>()
/// if firstAnswers[caller.connectionID] == nil { firstAnswers[caller.connectionID] = serial }
/// ```
///
/// The memory depends on the largest number of simultaneous connections; the value of a closed connection stays until
/// its slot is reused, and is never visible to the next connection there.
///
/// Like ``ConnectionID``, it is public because the compiler does not specialize a generic `package` type for another
/// module: each use would look up its metadata, which takes more than half the time of a short request.
public struct PerConnection<Value: Sendable> {
  @usableFromInline struct Entry {
    @usableFromInline var turn: UInt32
    @usableFromInline var value: Value?
    @usableFromInline init(turn: UInt32, value: Value?) { (self.turn, self.value) = (turn, value) }
  }

  @usableFromInline var entries: [Entry] = []
  /// The first slot that stores no value: a closed connection has the largest slot number.
  @usableFromInline static var maximum: UInt32 { 1 << 24 }

  /// Creates a table without values.
  public init() {}

  /// The value of a connection.
  ///
  /// - Complexity: O(1), amortized.
  @inlinable
  public subscript(id: ConnectionID) -> Value? {
    get {
      let slot = Int(id.slot)
      guard slot < entries.count, entries[slot].turn == id.turn else { return nil }
      return entries[slot].value
    }
    set {
      guard id.slot < Self.maximum else { return }
      while entries.count <= Int(id.slot) { entries.append(Entry(turn: 0, value: nil)) }
      entries[Int(id.slot)] = Entry(turn: id.turn, value: newValue)
    }
  }
}
