/// Any CBOR item as a tree, for tools that print or forward what they do not know.
public indirect enum CBORValue: Sendable, Equatable {
  /// Major type 0.
  case unsigned(UInt64)
  /// Major type 1: the value is −1 − n.
  case negative(UInt64)
  /// Major type 2.
  case bytes([UInt8])
  /// Major type 3.
  case text(String)
  /// Major type 4.
  case array([CBORValue])
  /// Major type 5, keys in the order of their encoding.
  case map([(key: CBORValue, value: CBORValue)])
  /// Major type 6.
  case tagged(UInt64, CBORValue)
  /// `false` and `true`.
  case bool(Bool)
  /// `null`.
  case null
  /// A float of any width.
  case double(Double)

  /// Equality of trees.
  public static func == (left: CBORValue, right: CBORValue) -> Bool { fatalError("not written yet") }
}
