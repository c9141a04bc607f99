// Text compares as bytes in every module of this package: these declarations shadow those of the standard library,
// which sorts the combining marks of a text by insertion before it compares it, so that a request of 64 KiB takes
// seconds in a call that cannot yield (decision 23). Each module exports this one, and so its files need no import of
// their own; other packages see nothing of it. `ComparisonTests` reads the object files for comparisons that are not
// shadowed.

extension String {
  /// Whether both have the same bytes.
  @inlinable package static func == (left: String, right: String) -> Bool { left.hasBytes(of: right) }
  /// Whether they differ in a byte.
  @inlinable package static func != (left: String, right: String) -> Bool { !left.hasBytes(of: right) }
  /// Whether `value` has the bytes of the pattern of a `case`.
  @inlinable package static func ~= (pattern: String, value: String) -> Bool { pattern.hasBytes(of: value) }
  /// Whether `left` is first in the order of bytes, which is that of code points.
  package static func < (left: String, right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
  /// Whether it starts with the bytes of `prefix`.
  package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
  /// Whether it ends with the bytes of `suffix`.
  package func hasSuffix(_ suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
}

extension StringProtocol {
  @inlinable
  func hasBytes(of other: some StringProtocol) -> Bool {
    let count = utf8.count
    guard count == other.utf8.count else { return false }
    return count > 64 ? hasLong(other) : utf8.elementsEqual(other.utf8)
  }

  /// Likewise for at least eight bytes, eight at a time.
  @usableFromInline
  func hasLong(_ other: some StringProtocol) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        let (left, right, last) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right), left.count - 8)
        func isSame(at offset: Int) -> Bool {
          left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        return stride(from: 0, to: last, by: 8).allSatisfy(isSame(at:)) && isSame(at: last)
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether both have the same bytes.
  @inlinable package static func == (left: Self, right: some StringProtocol) -> Bool { left.hasBytes(of: right) }
  /// Whether they differ in a byte.
  @inlinable package static func != (left: Self, right: some StringProtocol) -> Bool { !left.hasBytes(of: right) }
  /// Whether it starts with the bytes of `prefix`.
  @inlinable package func hasPrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }
  /// Whether it ends with the bytes of `suffix`.
  @inlinable
  package func hasSuffix(_ suffix: some StringProtocol) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }

  /// Whether `character` occurs in it.
  @inlinable package func contains(_ character: Character) -> Bool { contains { $0 == character } }
  /// Where `character` occurs first.
  @inlinable package func firstIndex(of character: Character) -> Index? { firstIndex { $0 == character } }
  /// Where `character` occurs last.
  @inlinable package func lastIndex(of character: Character) -> Index? { lastIndex { $0 == character } }
  /// The parts between occurrences of `separator`.
  @inlinable
  package func split(
    separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] {
    split(maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences) { $0 == separator }
  }
}

extension Substring {
  /// Whether both have the same bytes.
  @inlinable package static func == (left: Substring, right: Substring) -> Bool { left.hasBytes(of: right) }
  /// Whether they differ in a byte.
  @inlinable package static func != (left: Substring, right: Substring) -> Bool { !left.hasBytes(of: right) }
}

extension Character {
  /// Whether both have the same bytes.
  @inlinable package static func == (left: Character, right: Character) -> Bool { left.utf8.elementsEqual(right.utf8) }
  /// Whether `value` has the bytes of the pattern of a `case`.
  @inlinable package static func ~= (pattern: Character, value: Character) -> Bool { pattern == value }
  /// Whether it is one code point; for literals, for which the compiler prefers the standard library's operator.
  package func `is`(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.elementsEqual(CollectionOfOne(scalar)) }
}

extension Optional where Wrapped == String {
  /// Whether both are missing, or have the same bytes.
  package static func == (left: String?, right: String?) -> Bool { isSame(left, right) { $0.hasBytes(of: $1) } }
  /// Whether they differ.
  package static func != (left: String?, right: String?) -> Bool { !(left == right) }
  /// Whether it is `text`; for literals, for which the compiler prefers the standard library's operator.
  package func `is`(_ text: String) -> Bool { map { $0.hasBytes(of: text) } ?? false }
}

/// Whether both values are missing, or are the same.
private func isSame<Value>(_ left: Value?, _ right: Value?, by areSame: (Value, Value) -> Bool) -> Bool {
  switch (left, right) {
  case (let left?, let right?): areSame(left, right)
  case (nil, nil): true
  default: false
  }
}

extension Array where Element == String {
  /// Whether all texts have the same bytes.
  package static func == (left: [String], right: [String]) -> Bool {
    left.elementsEqual(right) { $0.hasBytes(of: $1) }
  }
  /// Whether they differ.
  package static func != (left: [String], right: [String]) -> Bool { !(left == right) }
}

extension Optional where Wrapped == [String] {
  /// Whether both are missing, or all texts have the same bytes.
  package static func == (left: [String]?, right: [String]?) -> Bool {
    isSame(left, right) { $0.elementsEqual($1) { $0.hasBytes(of: $1) } }
  }
  /// Whether they differ.
  package static func != (left: [String]?, right: [String]?) -> Bool { !(left == right) }
}

extension Sequence where Element: StringProtocol {
  /// Whether `text` is one of them.
  @inlinable package func contains(_ text: Element) -> Bool { contains { $0.hasBytes(of: text) } }
}

extension Sequence where Element == String {
  /// In the order of bytes.
  package func sorted() -> [String] { sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}

extension Collection where Element == String {
  /// Where `text` occurs first.
  @inlinable package func firstIndex(of text: String) -> Index? { firstIndex { $0.hasBytes(of: text) } }
}

extension Hasher {
  /// Feeds the bytes of `text`; synthesized conformances call it.
  package mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    combine(0xFF as UInt8)
  }
  /// Feeds the bytes of all texts.
  package mutating func combine(_ texts: [String]) { for text in texts { combine(text) } }
  /// Feeds the bytes of `text`, if there is one.
  package mutating func combine(_ text: String?) { combine(text ?? "\0") }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The case that is called `word`; the synthesized `init(rawValue:)` is for words of this program.
  package init?(word: some StringProtocol) {
    guard let found = Self.allCases.first(where: { $0.rawValue.hasBytes(of: word) }) else { return nil }
    self = found
  }
}
