/// The bytes of an input, taken from the front; whatever is asked for beyond the end is zero or empty.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  /// A little-endian number of `width` bytes.
  mutating func number(width: Int) -> Int {
    bytes(atMost: width).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The next bytes.
  mutating func bytes(atMost count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// All that is left.
  mutating func remainder() -> [UInt8] { bytes(atMost: rest.count) }
}
