/// The items of a checked encoding in one flat list, parents before children: what decoding walks instead of bytes.
///
/// ``TapeScanner`` makes it in a single pass that checks everything that can be checked without knowing a type, so
/// that what follows needs no error paths of its own. It points into memory of a ``TapeStorage`` and of the caller's.
struct Tape {
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
    /// Strings: offset of the first content byte; maps: index of the key to look at first, see ``Tape/value(of:in:)``.
    var mark: UInt32
    /// What it is.
    var kind: Kind

    /// A childless item without content.
    static var undefined: Item { Item(argument: 23, offset: 0, endOffset: 0, next: 0, mark: 0, kind: .simple) }
  }

  /// The items; the first is the whole.
  let items: UnsafeMutablePointer<Item>
  /// Items in the list.
  let count: Int
  /// The encoding.
  let bytes: UnsafeRawBufferPointer

  /// The item at `index`, or its stand-in if there is none.
  subscript(index: Int) -> Item {
    @inline(__always) get { index < count ? items[index] : .undefined }
  }
}

extension Tape {
  /// The encoding of the item at `index`.
  func encoding(at index: Int) -> UnsafeRawBufferPointer {
    let item = self[index]
    return UnsafeRawBufferPointer(rebasing: bytes[Int(item.offset)..<Int(item.endOffset)])
  }

  /// The content of a string in one piece.
  @inline(__always)
  func content(of item: Item) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[Int(item.mark)..<Int(item.endOffset)])
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
    guard map < count else { return nil }
    let (first, end) = (map + 1, Int(items[map].next))
    var key = Int(items[map].mark)
    var name = name
    return name.withUTF8 { name in
      for _ in 0..<Int(items[map].argument) {
        let value = Int(items[key].next)
        let next = Int(items[value].next)
        let following = next < end ? next : first
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
    let item = items + index
    if item.pointee.kind == .text {
      guard item.pointee.argument == UInt64(name.count) else { return false }
      let start = Int(item.pointee.mark)
      for position in 0..<name.count where bytes[start + position] != name[position] { return false }
      return true
    }
    return item.pointee.kind == .chunkedText && joinedContent(of: item.pointee).elementsEqual(name)
  }
}

/// The memory of a tape.
///
/// A class, because decoders and containers all refer to it.
final class TapeStorage {
  /// The tape; its items are owned by this object, its bytes are lent.
  let tape: Tape

  init(owning tape: Tape) { self.tape = tape }

  deinit { tape.items.deallocate() }

  /// Makes every item one without content, for decoders that are kept beyond the call that lent the bytes.
  func forget() { for index in 0..<tape.count { tape.items[index] = .undefined } }
}
