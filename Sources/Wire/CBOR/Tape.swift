/// The items of a checked encoding in one flat list, parents before children: what decoding walks instead of bytes.
///
/// ``TapeScanner`` makes it in a single pass that checks everything that can be checked without knowing a type, so
/// that what follows needs no error paths of its own. A class, because decoders and containers all refer to it.
final class Tape {
  /// What an item is.
  enum Kind: UInt8 {
    case unsigned, negative, bytes, text, chunkedBytes, chunkedText, array, map, tag, float, simple
  }

  /// One item.
  struct Item {
    /// Integer or tag argument, bits of a `Double`, bytes of a string, elements of an array, pairs of a map.
    var argument: UInt64
    /// Offset of the first byte.
    var offset: UInt32
    /// Offset behind the last byte, that of the last child included.
    var endOffset: UInt32
    /// Index of the item behind this one and all its children; while a container is open, unused.
    var next: UInt32
    /// Strings: offset of the first content byte. Maps: index of the key to look at first (see ``Tape/value(of:in:)``).
    var mark: UInt32
    /// What it is.
    var kind: Kind
  }

  /// The items; the first is the whole, `count` are initialized.
  private(set) var items: UnsafeMutablePointer<Item>
  /// Items in use.
  var count = 0
  /// Items there is room for.
  private(set) var capacity: Int
  /// The encoding; emptied when the call that lent it returns, so that a decoder kept beyond that reads nothing.
  var bytes: UnsafeRawBufferPointer

  /// An empty tape for `bytes`; room is taken in proportion to bytes that are there, never to what they announce.
  init(for bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    capacity = bytes.count / 4 + 8
    items = .allocate(capacity: capacity)
  }

  deinit { items.deallocate() }

  /// Doubles the room; the first `used` items stay.
  func grow(used: Int) {
    let larger = UnsafeMutablePointer<Item>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: items, count: used)
    items.deallocate()
    (items, capacity) = (larger, capacity * 2)
  }

  /// The item at `index`, or its stand-in if a caller's arithmetic went wrong.
  subscript(index: Int) -> Item {
    @inline(__always) get {
      index < count ? items[index] : Item(argument: 23, offset: 0, endOffset: 0, next: 0, mark: 0, kind: .simple)
    }
  }
}

extension Tape {
  /// The encoding of the item at `index`.
  func encoding(at index: Int) -> UnsafeRawBufferPointer {
    let item = self[index]
    guard item.endOffset <= bytes.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: bytes[Int(item.offset)..<Int(item.endOffset)])
  }

  /// The content of a string in one piece.
  @inline(__always)
  func content(of item: Item) -> UnsafeRawBufferPointer {
    guard item.endOffset <= bytes.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: bytes[Int(item.mark)..<Int(item.endOffset)])
  }

  /// The content of a string in chunks, joined (RFC 8949 §3.2.3).
  func joinedContent(of item: Item) -> [UInt8] {
    var joined: [UInt8] = []
    var offset = Int(item.mark)
    while offset < bytes.count, bytes[offset] != InitialByte.break, let head = try? Head(bytes, at: offset) {
      let start = offset + head.size
      offset = start + Int(head.argument)
      joined += bytes[start..<offset]
    }
    return joined
  }

  /// The value of the text key `name` in the map at `map`, nil if there is none.
  ///
  /// The search goes on behind the key that was found last and wraps around, so that asking in the order of the
  /// encoding, as the messages of this project are declared, compares once a key.
  func value(of name: String, in map: Int) -> Int? {
    let item = self[map]
    var key = Int(item.mark)
    var name = name
    return name.withUTF8 { name in
      for _ in 0..<Int(item.argument) {
        let value = Int(self[key].next)
        let next = Int(self[value].next)
        let following = next < Int(item.next) ? next : map + 1
        if isText(key, name) {
          items[map].mark = UInt32(truncatingIfNeeded: following)
          return value
        }
        key = following
      }
      return nil
    }
  }

  @inline(__always)
  private func isText(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let item = self[index]
    if item.kind == .text {
      let text = content(of: item)
      guard text.count == name.count else { return false }
      for index in 0..<text.count where text[index] != name[index] { return false }
      return true
    }
    return item.kind == .chunkedText && joinedContent(of: item).elementsEqual(name)
  }
}
