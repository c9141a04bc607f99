/// Names a connection among all, earlier and later ones too.
public struct ConnectionID: Hashable, Sendable {
  /// A small number, which later connections use again.
  public let slot: UInt32
  /// Distinguishes the connection from earlier and later ones of its slot.
  public let turn: UInt32

  /// Names the connection at `slot`.
  public init(slot: UInt32, turn: UInt32) { (self.slot, self.turn) = (slot, turn) }

  /// Names the connection that is registered so; a closed one has no values.
  init(_ registration: Registration?) {
    self.init(slot: registration?.slot ?? .max, turn: registration?.turn ?? 0)
  }
}

/// A value for each connection, which its owner keeps without hearing of connections that come and go.
///
/// ```swift
/// private var firstAnswers = PerConnection<UInt64>()
/// if firstAnswers[caller.connectionID] == nil { firstAnswers[caller.connectionID] = serial }
/// ```
///
/// The memory is that of the largest number of connections at a time; the value of a closed connection stays until its
/// slot is used again, and is never seen by the next connection there.
///
/// It is public, as ``ConnectionID`` is, because the compiler does not specialize a generic type of `package` access
/// for another module: each use would look its metadata up, which costs more than half of what a short request does.
public struct PerConnection<Value: Sendable> {
  @usableFromInline struct Entry {
    @usableFromInline var turn: UInt32
    @usableFromInline var value: Value?
    @usableFromInline init(turn: UInt32, value: Value?) { (self.turn, self.value) = (turn, value) }
  }

  @usableFromInline var entries: [Entry] = []
  /// Slots from which on no value is kept: a closed connection has the largest number.
  @usableFromInline static var maximum: UInt32 { 1 << 24 }

  /// No connection has a value.
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
