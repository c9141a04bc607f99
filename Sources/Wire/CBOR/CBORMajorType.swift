/// The eight kinds of CBOR item (RFC 8949 §3.1): the top three bits of an item's first byte.
@frozen
public enum CBORMajorType: UInt8, Sendable, CaseIterable {
  /// An integer from 0 to 2⁶⁴−1.
  case unsigned = 0
  /// An integer from −2⁶⁴ to −1; the argument n stands for −1 − n.
  case negative = 1
  /// A byte string.
  case bytes = 2
  /// A text string in UTF-8.
  case text = 3
  /// An array; the argument is its number of elements.
  case array = 4
  /// A map; the argument is its number of pairs.
  case map = 5
  /// A tag; the argument is its number, one item follows.
  case tag = 6
  /// A float, `false`, `true`, `null`, or another simple value.
  case simple = 7

  /// The kind of the item that begins with `initialByte`.
  @inlinable
  public init(initialByte: UInt8) {
    switch initialByte >> 5 {
    case 0: self = .unsigned
    case 1: self = .negative
    case 2: self = .bytes
    case 3: self = .text
    case 4: self = .array
    case 5: self = .map
    case 6: self = .tag
    default: self = .simple
    }
  }

  /// What a message calls it.
  public var name: String {
    switch self {
    case .unsigned: "unsigned integer"
    case .negative: "negative integer"
    case .bytes: "byte string"
    case .text: "text"
    case .array: "array"
    case .map: "map"
    case .tag: "tag"
    case .simple: "simple value or float"
    }
  }
}

/// First bytes of items that have no argument of their own.
@usableFromInline
enum InitialByte {
  @usableFromInline static let `false`: UInt8 = 0xf4
  @usableFromInline static let `true`: UInt8 = 0xf5
  @usableFromInline static let null: UInt8 = 0xf6
  @usableFromInline static let half: UInt8 = 0xf9
  @usableFromInline static let single: UInt8 = 0xfa
  @usableFromInline static let double: UInt8 = 0xfb
  @usableFromInline static let `break`: UInt8 = 0xff
}
