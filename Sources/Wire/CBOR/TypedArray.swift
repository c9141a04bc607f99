/// An element of typed arrays (RFC 8746 §2.1), little-endian.
public protocol TypedArrayElement: BitwiseCopyable, Codable, Hashable, Sendable {
  /// The tag of arrays of such numbers.
  static var typedArrayTag: UInt64 { get }
}

extension UInt8: TypedArrayElement {
  /// uint8.
  public static var typedArrayTag: UInt64 { 64 }
}

extension UInt32: TypedArrayElement {
  /// uint32, little-endian.
  public static var typedArrayTag: UInt64 { 70 }
}

extension UInt64: TypedArrayElement {
  /// uint64, little-endian.
  public static var typedArrayTag: UInt64 { 71 }
}

extension Float: TypedArrayElement {
  /// binary32, little-endian.
  public static var typedArrayTag: UInt64 { 85 }
}

extension Double: TypedArrayElement {
  /// binary64, little-endian.
  public static var typedArrayTag: UInt64 { 86 }
}

/// Numbers in a tagged byte string (RFC 8746): a thousand of them are one item, copied rather than parsed.
///
/// ```swift
/// let ids = TypedArray<UInt64>([588409, 2988507])
/// ```
public struct TypedArray<Element: TypedArrayElement>: Codable, Hashable, Sendable {
  /// The numbers.
  public var elements: [Element]

  /// Makes an array.
  public init(_ elements: [Element]) { self.elements = elements }

  /// Reads a byte string with the tag of the element type.
  public init(from decoder: any Decoder) throws {
    let tagged = try CBORTagged<CBORBytes>(from: decoder)
    guard tagged.tag == Element.typedArrayTag, let array = Self(littleEndian: tagged.content.bytes) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "expected a typed array, tag \(Element.typedArrayTag) and numbers of "
            + "\(MemoryLayout<Element>.size) bytes, found tag \(tagged.tag) and "
            + "\(tagged.content.bytes.count) bytes"))
    }
    self = array
  }

  /// The numbers in `bytes`; `nil` if the last one is incomplete.
  ///
  /// - Complexity: O(*n*).
  public init?(littleEndian bytes: [UInt8]) {
    self.init(littleEndian: bytes.span.bytes)
  }

  /// The numbers in borrowed `bytes`; `nil` if the last one is incomplete.
  public init?(littleEndian bytes: RawSpan) {
    let size = MemoryLayout<Element>.size
    guard bytes.byteCount % size == 0 else { return nil }
    elements = [Element](unsafeUninitializedCapacity: bytes.byteCount / size) { numbers, count in
      count = bytes.byteCount / size
      let memory = UnsafeMutableRawBufferPointer(numbers)
      bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
      memory.exchangeLittleEndian(size: size)
    }
  }

  /// Writes a byte string with the tag of the element type.
  public func encode(to encoder: any Encoder) throws {
    let bytes = elements.withTypedArrayBytes { [UInt8]($0) }
    try CBORTagged(tag: Element.typedArrayTag, content: CBORBytes(bytes)).encode(to: encoder)
  }
}

/// Floats in a typed array of either width.
///
/// A reader also accepts an array of numbers, the natural form in JSON.
public enum TypedFloats: Codable, Equatable, Sendable {
  /// binary32.
  case singles([Float])
  /// binary64.
  case doubles([Double])

  /// Reads a typed array of floats, or an array of numbers.
  public init(from decoder: any Decoder) throws {
    guard let item = decoder as? ItemDecoder else {
      self = .doubles(try [Double](from: decoder))
      return
    }
    let first = item.tape[item.index]
    switch (first.kind, first.argument) {
    case (.tag, Float.typedArrayTag): self = .singles(try TypedArray<Float>(from: decoder).elements)
    case (.tag, Double.typedArrayTag): self = .doubles(try TypedArray<Double>(from: decoder).elements)
    case (.array, _): self = .doubles(try [Double](from: decoder))
    default: throw item.tape.mismatch("typed array of floats (tag 85 or 86) or array of numbers", at: item.index)
    }
  }

  /// Writes a typed array of its width.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .singles(let numbers): try TypedArray(numbers).encode(to: encoder)
    case .doubles(let numbers): try TypedArray(numbers).encode(to: encoder)
    }
  }

  /// The numbers as 64-bit floats.
  public var numbers: [Double] {
    switch self {
    case .singles(let numbers): numbers.map(Double.init)
    case .doubles(let numbers): numbers
    }
  }
}

extension TypedArray: CBORItem {
  /// Appends a byte string with the tag of the element type.
  ///
  /// - Complexity: O(*n*).
  public func write(into writer: inout CBORWriter) {
    writer.writeTag(Element.typedArrayTag)
    elements.withTypedArrayBytes { writer.writeBytes($0) }
  }
}

extension Array where Element: TypedArrayElement {
  /// Passes the bytes of a typed array of these numbers to `body`.
  fileprivate func withTypedArrayBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // All at once if memory is little-endian.
    guard 1.littleEndian != 1 else { return withUnsafeBytes(body) }
    var numbers = self
    numbers.withUnsafeMutableBytes { $0.exchangeLittleEndian(size: MemoryLayout<Element>.size) }
    return numbers.withUnsafeBytes(body)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Converts each number of `size` bytes between memory order and little-endian.
  fileprivate func exchangeLittleEndian(size: Int) {
    guard 1.littleEndian != 1 else { return }
    for start in stride(from: 0, to: count, by: size) { self[start..<(start + size)].reverse() }
  }
}
