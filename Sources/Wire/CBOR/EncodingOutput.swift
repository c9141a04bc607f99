/// The bytes of one encoding, and its open arrays and maps.
///
/// A container is open exactly while the `encode(to:)` that requested it runs, so its end needs no call: one byte is
/// reserved for its head, and count and order are fixed when that function returns. Containers that Codable lets live
/// longer (`nestedContainer`, `superEncoder`) are refused: use a nested type instead.
struct EncodingOutput: ~Copyable {
  var writer = CBORWriter()
  /// Open arrays and maps, outermost first.
  private(set) var open: [Container] = []
  /// Pairs of the open maps, outermost map first.
  private var entries: [MapEntry] = []
  /// The error of a call that could not throw.
  private(set) var failure: CBORError?

  /// An array or a map whose items are being written.
  struct Container {
    var isMap: Bool
    /// Offset of its head, one byte until it is closed.
    var head: Int
    /// Elements or pairs so far.
    var count = 0
    /// Its first pair in `entries`.
    var firstEntry: Int
  }

  /// The path to the current value.
  var steps: [Tape.Step] { steps(to: open.count) }

  /// The path to the container at `level`.
  func steps(to level: Int) -> [Tape.Step] {
    var steps: [Tape.Step] = []
    for container in open.prefix(level) { steps.append(step(container)) }
    return steps
  }

  private func step(_ container: Container) -> Tape.Step {
    guard container.isMap else { return .index(max(0, container.count - 1)) }
    let last = container.firstEntry + container.count - 1
    guard entries.indices.contains(last) else { return .key("") }
    return .key(keyName(entries[last]))
  }

  private func keyName(_ entry: MapEntry) -> String {
    writer.withUnsafeBytes { bytes in
      var reader = CBORReader(UnsafeRawBufferPointer(rebasing: bytes[entry.key...]))
      guard let name = try? reader.readText() else { return "" }
      return String(decoding: name, as: UTF8.self)
    }
  }

  /// An error about the current value, with its path.
  func error(_ kind: CBORError.Kind) -> CBORError {
    CBORError(kind, offset: writer.count, path: pathText(steps))
  }

  mutating func write(float value: Double) throws(CBORError) {
    do { try writer.writeDouble(value) } catch { throw self.error(error.kind) }
  }

  /// Remembers the first problem of a call that cannot throw.
  mutating func fail(_ kind: CBORError.Kind) { if failure == nil { failure = error(kind) } }
}

// MARK: - Containers

extension EncodingOutput {
  /// Opens an array or map as the value of the encoder at `level`, or returns the one it opened before.
  mutating func openContainer(isMap: Bool, level: Int, start: Int) -> Int {
    if open.count > level {
      if open[level].isMap != isMap { fail(.unencodable("an array and a map in the place of one value")) }
      return level
    }
    if writer.count != start { fail(.unencodable("a second value in the place of one")) }
    open.append(Container(isMap: isMap, head: writer.count, firstEntry: entries.count))
    writer.writeByte(0)
    return level
  }

  /// Starts a pair of the map at `level`.
  @inline(__always)
  mutating func beginPair(_ key: String, in level: Int) throws(CBORError) {
    try checkTurn(of: level)
    open[level].count += 1
    let start = writer.count
    writer.writeText(key)
    entries.append(MapEntry(key: start, value: writer.count))
  }

  /// Starts an element of the array at `level`.
  @inline(__always)
  mutating func beginElement(in level: Int) throws(CBORError) {
    try checkTurn(of: level)
    open[level].count += 1
  }

  /// Only the innermost container may be written to, because bytes are only appended.
  private func checkTurn(of level: Int) throws(CBORError) {
    guard level == open.count - 1 else { throw error(.unencodable("a container written to out of turn")) }
  }

  /// Elements or pairs in the container at `level`.
  func count(in level: Int) -> Int { level < open.count ? open[level].count : 0 }

  /// Closes the innermost container: sets its head and sorts its pairs.
  mutating func close() throws(CBORError) {
    guard let closed = open.last else { return }
    setHead(of: closed)
    if closed.isMap, let twin = MapOrder.arrange(&writer, entries[closed.firstEntry...]) {
      throw CBORError(.unencodable("a map key written twice"), offset: twin, path: pathText(steps))
    }
    entries.removeSubrange(closed.firstEntry...)
    open.removeLast()
  }

  private mutating func setHead(of container: Container) {
    let type: CBORMajorType = container.isMap ? .map : .array
    // One byte was reserved for the head; a longer one moves the bytes after it.
    let size = Head.size(of: UInt64(container.count))
    if size > 1 {
      writer.openGap(size - 1, at: container.head)
      moveEntries(at: container.head, by: size - 1)
    }
    writer.withUnsafeMutableBytes { bytes in
      _ = bytes.baseAddress.map { Head.write(type, UInt64(container.count), to: $0 + container.head) }
    }
  }

  /// Moves the pairs from `offset` on.
  private mutating func moveEntries(at offset: Int, by distance: Int) {
    var index = entries.count - 1
    while index >= 0, entries[index].value > offset {
      if entries[index].key >= offset { entries[index].key += distance }
      entries[index].value += distance
      index -= 1
    }
  }
}

/// A reference to the output of one encoding, shared by its encoders and containers.
///
/// The output is in separate memory: as a stored property it would be checked for overlapping access at every byte
/// written, two fifths of the time. No access overlaps, because the output's functions call no outside code.
final class EncodingState {
  /// The output; valid while this object lives.
  let output: UnsafeMutablePointer<EncodingOutput>

  /// A state with an empty output.
  init() {
    output = .allocate(capacity: 1)
    output.initialize(to: EncodingOutput())
  }

  deinit {
    output.deinitialize(count: 1)
    output.deallocate()
  }

  /// Records that a nested container was requested, and returns an encoder whose output is discarded.
  func refuseNesting() -> ItemEncoder {
    output.pointee.fail(.unencodable("a nested container"))
    return ItemEncoder(state: EncodingState(), level: 0, start: 0)
  }

  @inline(__always)
  func encode<Value: Encodable>(_ value: Value) throws {
    if Value.self == String.self, let text = value as? String { return output.pointee.writer.writeText(text) }
    try encodeComposite(value)
  }

  /// Writes a value with its `encode(to:)`, and closes the containers that opened.
  func encodeComposite<Value: Encodable>(_ value: Value) throws {
    let (level, start) = (output.pointee.open.count, output.pointee.writer.count)
    guard level < CBORLimits.maximumDepth else { throw output.pointee.error(.limit("depth")) }
    do {
      try value.encode(to: ItemEncoder(state: self, level: level, start: start))
    } catch let error as EncodingError {
      throw output.pointee.error(.unencodable(error.reason))
    }
    if output.pointee.writer.count == start { output.pointee.writer.writeMap(count: 0) }
    while output.pointee.open.count > level { try output.pointee.close() }
  }
}

extension EncodingError {
  fileprivate var reason: String {
    switch self {
    case .invalidValue(_, let context): context.debugDescription
    @unknown default: "a value refused by its type"
    }
  }
}
