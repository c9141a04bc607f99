internal import CBOR
internal import CitiesProtocol

/// The part of a server's frame that identifies its request and its kind: a result, an error or an event.
package struct ReplyHead: Equatable {
  /// The kinds of frames that a server sends.
  package enum Kind: Equatable {
    case result
    case error
    case event
  }

  /// The id of the request; 0 if the server could not read one.
  package let id: UInt64
  /// The kind, by the first of the three keys.
  package let kind: Kind

  /// Makes a head.
  package init(id: UInt64, kind: Kind) { (self.id, self.kind) = (id, kind) }

  /// Reads the head of `payload`; `nil` if that has no id or none of the three keys.
  ///
  /// The rest of a deterministic payload is checked only when it is decoded as a type.
  ///
  /// - Complexity: O(1) for deterministic encoding, in which `id` is the first key; else O(*n* log *n*).
  package init?(_ payload: RawSpan) {
    if let head = payload.withUnsafeBytes(Self.deterministic) {
      self = head
    } else if let canonical = try? canonicalized(payload, limits: .reply),
      let head = canonical.withUnsafeBytes(Self.deterministic)
    {
      self = head
    } else {
      return nil
    }
  }

  /// The head if the pairs up to it are in deterministic encoding.
  private static func deterministic(_ payload: UnsafeRawBufferPointer) -> ReplyHead? {
    var reader = CBORReader(payload, limits: .reply)
    var id: UInt64?
    do {
      var map = try reader.readMap()
      while let key = try reader.nextKey(of: &map) {
        if CBORReader.text(key, is: "id") {
          id = try reader.readUnsigned()
        } else if let kind = kind(key), let id {
          return ReplyHead(id: id, kind: kind)
        } else {
          try reader.skip()
        }
      }
    } catch {}
    return nil
  }

  private static func kind(_ key: UnsafeRawBufferPointer) -> Kind? {
    if CBORReader.text(key, is: "result") { return .result }
    if CBORReader.text(key, is: "error") { return .error }
    return CBORReader.text(key, is: "event") ? .event : nil
  }
}
