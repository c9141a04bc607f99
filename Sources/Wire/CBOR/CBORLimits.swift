/// What a CBOR item may ask of its reader; checked before memory is taken.
public struct CBORLimits: Sendable, Equatable {
  /// Arrays, maps and tags that may stand inside each other.
  public var depth: Int
  /// Items in all, counting every key, value and element.
  public var items: Int

  /// Makes limits; the defaults fit every message of this project.
  public init(depth: Int = 16, items: Int = 1 << 20) {
    self.depth = depth
    self.items = items
  }
}
