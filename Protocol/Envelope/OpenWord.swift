/// A word of an open set, such as the name of a feed, which may be any text: it is compared and hashed as bytes.
public protocol OpenWord: RawRepresentable, Codable, Hashable, Sendable where RawValue == String {}

extension OpenWord {
  /// Whether both have the same bytes.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// Feeds the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
