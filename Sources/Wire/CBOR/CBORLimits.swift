/// What a CBOR item may ask of its reader; checked before memory is taken.
public struct CBORLimits: Sendable, Equatable {
  /// The deepest nesting that any limits can allow: readers of trees recurse, and a stack is finite.
  public static let maximumDepth = 128

  /// Arrays, maps and tags that may stand inside each other, at most ``maximumDepth``.
  public var depth: Int { didSet { depth = min(depth, Self.maximumDepth) } }
  /// Items in all, counting every key, value, element and chunk.
  public var items: Int

  /// Makes limits; the defaults fit every message of this project.
  public init(depth: Int = 16, items: Int = 1 << 20) {
    self.depth = min(depth, Self.maximumDepth)
    self.items = items
  }
}
