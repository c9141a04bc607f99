/// What the encoders and containers of one encoding share: a reference to its output.
///
/// The output stands in memory of its own rather than in a stored property, which would be checked for overlapping
/// access at every byte written: two fifths of the time. No access overlaps, because none of the output's functions
/// calls code that is not its own.
final class EncodingState {
  /// The output; valid as long as this object.
  let output: UnsafeMutablePointer<EncodingOutput>

  /// A state with an empty output, for a value at `base`.
  init(base: [Tape.Step] = []) {
    output = .allocate(capacity: 1)
    output.initialize(to: EncodingOutput(base: base))
  }

  deinit {
    output.deinitialize(count: 1)
    output.deallocate()
  }

  /// Writes any value.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value) throws {
    if Value.self == String.self, let text = value as? String { return output.pointee.writer.writeText(text) }
    try encodeComposite(value)
  }

  /// Writes a value through its `encode(to:)`, and closes what that opened.
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
  /// What the type that threw it says.
  fileprivate var reason: String {
    switch self {
    case .invalidValue(_, let context): context.debugDescription
    @unknown default: "a value refused by its type"
    }
  }
}
