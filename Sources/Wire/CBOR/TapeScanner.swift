/// Checks an encoding in one pass and lists its items.
///
/// Accepts any well-formed item, definite or indefinite; refuses NaN, infinities, text that is not UTF-8, duplicate map
/// keys and trailing bytes. Depth, number of items and declared sizes are checked before memory is allocated for them.
/// - Complexity: O(*n*) in the bytes; maps whose keys do not ascend cost O(*k* log *k*) comparisons of keys.
package struct TapeScanner {
  private let bytes: UnsafeRawBufferPointer
  /// The limits, less the chunks that were scanned, which are not on the tape.
  private var limits: CBORLimits
  private var items: UnsafeMutablePointer<Tape.Item>
  private var capacity: Int
  private var count = 0
  private var offset = 0
  /// The innermost open container; a virtual one for the root.
  private var current = Open(index: -1, missing: 1, isIndefinite: false)
  /// The containers around it, outermost first.
  private var outer: [Open] = []

  /// An unfinished container.
  private struct Open {
    /// Its index on the tape.
    var index: Int
    /// Direct children still to come; counts down from 0 if the length is indefinite.
    var missing: Int
    /// Whether a break ends it.
    var isIndefinite: Bool
  }

  /// The tape of the one item that fills `bytes`.
  ///
  /// - Throws: `.truncated`, `.malformed`, `.limit` or `.trailingBytes`, with the offset.
  package static func scan(_ bytes: UnsafeRawBufferPointer, limits: CBORLimits) throws(CBORError) -> TapeStorage {
    guard bytes.count < UInt32.max else { throw CBORError(.limit("bytes"), offset: 0) }
    var scanner = TapeScanner(bytes, limits)
    do {
      try scanner.scanAll()
    } catch {
      scanner.items.deallocate()
      throw error
    }
    return TapeStorage(owning: scanner.tape)
  }

  /// Allocates in proportion to the actual bytes, never to the sizes they declare.
  private init(_ bytes: UnsafeRawBufferPointer, _ limits: CBORLimits) {
    self.bytes = bytes
    self.limits = limits
    capacity = bytes.count / 4 + 8
    items = .allocate(capacity: capacity)
  }

  private var tape: Tape { Tape(items: items, count: count, bytes: bytes) }

  private mutating func scanAll() throws(CBORError) {
    while current.missing != 0 || current.isIndefinite {
      try scanItem()
      while current.missing == 0, !current.isIndefinite, current.index >= 0 { try close() }
    }
    guard offset == bytes.count else { throw CBORError(.trailingBytes, offset: offset) }
  }

  private mutating func scanItem() throws(CBORError) {
    let (start, head) = (offset, try Head(bytes, at: offset))
    offset += head.size
    if head.isIndefinite && head.major == .simple { return try scanBreak(at: start) }
    current.missing -= 1
    switch head.major {
    case .unsigned: try append(.unsigned, head.argument, from: start)
    case .negative: try append(.negative, head.argument, from: start)
    case .bytes, .text: try scanString(head, from: start)
    case .array, .map, .tag: try scanContainer(head, from: start)
    case .simple:
      guard head.info >= 25 else { return try append(.simple, head.argument, from: start) }
      try append(.float, try head.float(at: start).bitPattern, from: start)
    }
  }

  /// Adds an item that starts at `start` and, unless it is a container, ends at the cursor.
  private mutating func append(
    _ kind: Tape.Kind, _ argument: UInt64, from start: Int, mark: Int = 0
  ) throws(CBORError) {
    guard count < limits.items else { throw CBORError(.limit("items"), offset: start) }
    if count == capacity { grow() }
    let item = Tape.Item(
      argument: argument, offset: UInt32(truncatingIfNeeded: start), endOffset: UInt32(truncatingIfNeeded: offset),
      next: UInt32(truncatingIfNeeded: count + 1), mark: UInt32(truncatingIfNeeded: mark), kind: kind)
    (items + count).initialize(to: item)
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Tape.Item>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: items, count: count)
    items.deallocate()
    (items, capacity) = (larger, capacity * 2)
  }
}

extension TapeScanner {
  private mutating func scanString(_ head: Head, from start: Int) throws(CBORError) {
    if head.isIndefinite { return try scanChunks(of: head.major, from: start) }
    let content = try passContent(of: head, from: start)
    try append(head.major == .text ? .text : .bytes, head.argument, from: start, mark: content)
  }

  /// Skips the content of a string and returns the offset of its first byte.
  private mutating func passContent(of head: Head, from start: Int) throws(CBORError) -> Int {
    guard head.argument <= UInt64(bytes.count - offset) else { throw CBORError(.truncated, offset: start) }
    let content = offset
    offset += Int(head.argument)
    if head.major == .text && !isValidUTF8(UnsafeRawBufferPointer(rebasing: bytes[content..<offset])) {
      throw CBORError(.malformed("text that is not UTF-8"), offset: content)
    }
    return content
  }

  /// Skips the chunks of an indefinite string: definite strings of the same kind, each valid by itself, and a break.
  private mutating func scanChunks(of major: CBORMajorType, from start: Int) throws(CBORError) {
    let (first, most) = (offset, limits.items - count)
    var (total, chunks) = (UInt64(0), 0)
    while true {
      let (chunkStart, head) = (offset, try Head(bytes, at: offset))
      offset += head.size
      if head.isIndefinite && head.major == .simple { break }
      guard head.major == major, !head.isIndefinite else {
        throw CBORError(.malformed("a chunk that is not a definite \(major.name)"), offset: chunkStart)
      }
      _ = try passContent(of: head, from: chunkStart)
      (total, chunks) = (total + head.argument, chunks + 1)
      guard chunks < most else { throw CBORError(.limit("items"), offset: chunkStart) }
    }
    limits.items -= chunks
    try append(major == .text ? .chunkedText : .chunkedBytes, total, from: start, mark: first)
  }

  private mutating func scanContainer(_ head: Head, from start: Int) throws(CBORError) {
    guard outer.count < limits.depth else { throw CBORError(.limit("depth"), offset: start) }
    let children = try childCount(of: head, from: start)
    let kind: Tape.Kind = head.major == .array ? .array : head.major == .map ? .map : .tag
    outer.append(current)
    current = Open(index: count, missing: children, isIndefinite: head.isIndefinite)
    try append(kind, head.argument, from: start, mark: count + 1)
  }

  /// The declared number of direct children, each of at least a byte; 0 if indefinite.
  private func childCount(of head: Head, from start: Int) throws(CBORError) -> Int {
    if head.major == .tag { return 1 }
    let each = head.major == .map ? 2 : 1
    guard head.argument <= UInt64((bytes.count - offset) / each) else { throw CBORError(.truncated, offset: start) }
    let children = Int(head.argument) * each
    guard children <= limits.items - count else { throw CBORError(.limit("items"), offset: start) }
    return children
  }

  private mutating func scanBreak(at start: Int) throws(CBORError) {
    guard current.isIndefinite else { throw CBORError(.malformed("a break out of place"), offset: start) }
    let children = -current.missing
    let isMap = items[current.index].kind == .map
    guard !isMap || children % 2 == 0 else { throw CBORError(.malformed("a map key without a value"), offset: start) }
    items[current.index].argument = UInt64(isMap ? children / 2 : children)
    try close()
  }

  private mutating func close() throws(CBORError) {
    let closed = items + current.index
    closed.pointee.next = UInt32(truncatingIfNeeded: count)
    closed.pointee.endOffset = UInt32(truncatingIfNeeded: offset)
    if closed.pointee.kind == .map { try tape.checkKeys(of: current.index) }
    current = outer.removeLast()
  }
}
