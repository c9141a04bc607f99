/// The items of a checked encoding in a flat list, parents before children; decoding walks it instead of the bytes.
///
/// ``TapeScanner`` builds it in a single pass with all checks that need no type, so that later steps need no error
/// paths. It points into the memory of a ``TapeStorage`` and of the caller.
package struct Tape {
  /// The kinds of items.
  package enum Kind: UInt8 {
    case unsigned, negative, bytes, text, chunkedBytes, chunkedText, array, map, tag, float, simple
  }

  /// One item.
  package struct Item {
    /// Integer or tag argument, bits of a `Double`, bytes of a string, elements of an array, pairs of a map.
    package var argument: UInt64
    /// Offset of the first byte.
    package var offset: UInt32
    /// Offset of the first byte after the item and its children.
    package var endOffset: UInt32
    /// Index of the next item that is not a child of this one; unused while a container is open.
    package var next: UInt32
    /// Strings: offset of the first content byte; maps: index of the key to compare first, see ``Tape/value(of:in:)``.
    package var mark: UInt32
    /// Its kind.
    package var kind: Kind

    /// A childless item without content.
    static var undefined: Item { Item(argument: 23, offset: 0, endOffset: 0, next: 0, mark: 0, kind: .simple) }
  }

  /// The items; the first is the root.
  let items: UnsafeMutablePointer<Item>
  let count: Int
  /// The encoding.
  package let bytes: UnsafeRawBufferPointer

  /// The item at `index`; ``Item/undefined`` if there is none.
  package subscript(index: Int) -> Item {
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
  /// The search starts after the last key found and wraps around, so that lookups in the order of the encoding, in
  /// which the messages of this project are declared, take one comparison per key.
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
/// A class, because all decoders and containers refer to it.
package final class TapeStorage {
  /// The tape, whose items this object owns and whose bytes it borrows.
  package let tape: Tape

  init(owning tape: Tape) { self.tape = tape }

  deinit { tape.items.deallocate() }

  /// Empties every item, for decoders that outlive the call in which the bytes were borrowed.
  func forget() { for index in 0..<tape.count { tape.items[index] = .undefined } }
}

extension Tape {
  /// Checks that no key of the map at `map` occurs twice, even in different encodings.
  ///
  /// - Throws: `.malformed` with the offset of the duplicate.
  /// - Complexity: O(*k*) comparisons for *k* keys that ascend in their shortest encodings, else O(*k* log *k*).
  func checkKeys(of map: Int) throws(CBORError) {
    if keysAscend(in: map) { return }
    var keys = try canonicalKeys(of: map)
    keys.sort { $0.encoding.lexicographicallyPrecedes($1.encoding) }
    for (left, right) in zip(keys, keys.dropFirst()) where left.encoding == right.encoding {
      throw CBORError(.malformed("a map key that occurs twice"), offset: max(left.offset, right.offset))
    }
  }

  /// Whether the keys are scalars in their shortest form and ascend strictly, as from every deterministic sender.
  private func keysAscend(in map: Int) -> Bool {
    var (key, last) = (map + 1, UnsafeRawBufferPointer(start: nil, count: 0))
    for _ in 0..<Int(self[map].argument) {
      guard isShortScalar(key) else { return false }
      let encoding = encoding(at: key)
      guard MapOrder.precedes(last, encoding) else { return false }
      last = encoding
      key = Int(self[Int(self[key].next)].next)
    }
    return true
  }

  private func isShortScalar(_ index: Int) -> Bool {
    let item = self[index]
    switch item.kind {
    case .text, .bytes: return item.argument < 24 ? item.mark == item.offset + 1 : isShortHead(item)
    case .unsigned, .negative: return isShortHead(item)
    case .chunkedBytes, .chunkedText, .array, .map, .tag, .float, .simple: return false
    }
  }

  private func isShortHead(_ item: Item) -> Bool { (try? Head(bytes, at: Int(item.offset)))?.isShortest ?? false }

  private func canonicalKeys(of map: Int) throws(CBORError) -> [(offset: Int, encoding: [UInt8])] {
    var keys: [(offset: Int, encoding: [UInt8])] = []
    var key = map + 1
    for _ in 0..<Int(self[map].argument) {
      keys.append((Int(self[key].offset), try CBORValue(self, at: key).encoded()))
      key = Int(self[Int(self[key].next)].next)
    }
    return keys
  }
}

extension Tape {
  /// One step from a container to one of its items.
  enum Step {
    case key(String)
    case index(Int)
  }

  /// The path from the root to the item at `target`.
  ///
  /// Computed on demand by descending again, so that successful decoding keeps no paths.
  /// - Complexity: O(siblings along the path).
  func steps(to target: Int) -> [Step] {
    var (steps, current) = ([Step](), 0)
    while current < target, target < count {
      let item = items[current]
      var child = current + 1
      switch item.kind {
      case .array:
        var position = 0
        while target >= items[child].next { (child, position) = (Int(items[child].next), position + 1) }
        steps.append(.index(position))
      case .map:
        while target >= items[Int(items[child].next)].next { child = Int(items[Int(items[child].next)].next) }
        steps.append(.key(keyName(at: child)))
        if target >= items[child].next { child = Int(items[child].next) }
      case .tag: break
      default: return steps
      }
      current = child
    }
    return steps
  }

  /// The path to the item at `target`, such as `rows[3].name`.
  func path(to target: Int) -> String { pathText(steps(to: target)) }

  /// The text key at `index`; for a key of another kind, a description.
  func keyName(at index: Int) -> String {
    switch self[index].kind {
    case .text, .chunkedText: string(at: index)
    case .unsigned: String(self[index].argument)
    default: "(\(name(of: index)))"
    }
  }

  /// The text at `index`, which must be text.
  func string(at index: Int) -> String {
    let item = self[index]
    guard item.kind == .text else { return String(decoding: joinedContent(of: item), as: UTF8.self) }
    let bytes = content(of: item)
    // A long text takes the library four times as long to check. The bytes may have changed since they were scanned.
    guard bytes.count > Self.longText, isValidUTF8(bytes) else { return String(decoding: bytes, as: UTF8.self) }
    return String(copying: UTF8Span(unchecked: bytes.bindMemory(to: UInt8.self).span))
  }

  private static var longText: Int { 256 }

  /// The name of the item at `index` in messages.
  func name(of index: Int) -> String {
    let item = self[index]
    switch item.kind {
    case .unsigned: return "integer \(item.argument)"
    case .negative: return "integer \(-1 - Int128(item.argument))"
    case .bytes, .chunkedBytes: return "byte string"
    case .text, .chunkedText: return "text"
    case .array: return "array"
    case .map: return "map"
    case .tag: return "tag \(item.argument)"
    case .float: return "float"
    case .simple: return simpleName(item.argument)
    }
  }

  /// The error for an item at `index` other than `expected`.
  func mismatch(_ expected: String, at index: Int) -> CBORError {
    error(.mismatch(expected: expected, found: name(of: index)), at: index)
  }

  /// An error about the item at `index`, with its place.
  func error(_ kind: CBORError.Kind, at index: Int) -> CBORError {
    CBORError(kind, offset: Int(self[index].offset), path: path(to: index))
  }
}

/// `rows[3].name` for the steps `rows`, 3, `name`.
func pathText(_ steps: [Tape.Step]) -> String {
  var text = ""
  for step in steps {
    switch step {
    case .key(let name): text += text.isEmpty ? name : ".\(name)"
    case .index(let index): text += "[\(index)]"
    }
  }
  return text
}

/// A key in a path: a name, or a position in an array.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  init(_ step: Tape.Step) {
    switch step {
    case .key(let name): self.init(stringValue: name)
    case .index(let index): self.init(intValue: index)
    }
  }
}

extension Tape {
  /// The bignum at `index` (RFC 8949 §3.4.3); nil if it does not fit `Value`.
  ///
  /// - Throws: `.mismatch` if the item is not a bignum.
  func bignum<Value: FixedWidthInteger>(at index: Int) throws(CBORError) -> Value? {
    let tag = self[index].argument
    guard tag == CBORWriter.unsignedBignum || tag == CBORWriter.negativeBignum,
      let content = bytesContent(at: index + 1)
    else { throw mismatch("integer", at: index) }
    let digits = content.drop { $0 == 0 }
    guard digits.count <= 16 else { return nil }
    let magnitude = digits.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    if tag == CBORWriter.unsignedBignum { return Value(exactly: magnitude) }
    guard let magnitude = Int128(exactly: magnitude) else { return nil }
    return Value(exactly: -1 - magnitude)
  }

  /// The content of the byte string at `index`; nil for another item.
  func bytesContent(at index: Int) -> [UInt8]? {
    let item = self[index]
    switch item.kind {
    case .bytes: return Array(content(of: item))
    case .chunkedBytes: return joinedContent(of: item)
    default: return nil
    }
  }
}
