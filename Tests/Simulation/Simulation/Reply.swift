/// What a frame of the server says, as far as the oracle needs it: id, kind and code.
struct Reply {
  /// The kinds of frames.
  enum Kind { case result, error, event }

  let id: Int
  let kind: Kind
  /// The code of an error.
  let code: String

  /// Reads a frame with its header; nil if it is none that the server sends.
  init?(_ frame: ArraySlice<UInt8>) {
    var rest = frame.dropFirst(4)
    guard rest.starts(with: [0xA2, 0x62, 0x69, 0x64]) else { return nil }
    rest = rest.dropFirst(4)
    guard let head = rest.popFirst() else { return nil }
    switch head {
    case 0..<24: id = Int(head)
    case 24: id = rest.popFirst().map(Int.init) ?? 0
    case 25:
      guard rest.count > 2 else { return nil }
      id = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
    default: return nil
    }
    guard let length = rest.popFirst(), length >= 0x60 else { return nil }
    let name = String(decoding: rest.prefix(Int(length - 0x60)), as: UTF8.self)
    rest = rest.dropFirst(Int(length - 0x60))
    switch name {
    case "result": (kind, code) = (.result, "")
    case "event": (kind, code) = (.event, "")
    case "error":
      // A map whose first key is "code".
      guard rest.dropFirst().starts(with: [0x64] + "code".utf8) else { return nil }
      rest = rest.dropFirst(6)
      guard let size = rest.popFirst() else { return nil }
      (kind, code) = (.error, String(decoding: rest.prefix(Int(size & 0x1F)), as: UTF8.self))
    default: return nil
    }
  }
}
