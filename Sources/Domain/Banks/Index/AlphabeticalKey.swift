import Text

/// What names are ordered by: base letters first, so that `Õ` stands with `O` and `a` with `A`; then the exact spelling.
///
/// Base letters are compared by code point after folding, exact spellings by their UTF-8, so that no locale has a say.
/// What has no name comes last.
struct AlphabeticalKey: Comparable {
  /// The folded base letters.
  let base: [UInt8]
  /// The spelling.
  let exact: String?

  /// The key of a name, or of none.
  init(_ name: String?, _ folder: Folder) {
    (base, exact) = (name.map { folder.folded($0, .baseLetters) } ?? [], name)
  }

  static func == (one: Self, other: Self) -> Bool { !(one < other) && !(other < one) }

  static func < (one: Self, other: Self) -> Bool {
    guard let mine = one.exact, let theirs = other.exact else { return one.exact != nil && other.exact == nil }
    if one.base != other.base { return one.base.lexicographicallyPrecedes(other.base) }
    return bytesAscend(mine, theirs)
  }
}
