/// A text as a key of a dictionary or an element of a set: the same bytes are the same key.
///
/// `Dictionary` and `Set` hash a `String` itself, by its canonical form.
///
/// ```swift
/// var counts: [TextKey: Int] = [:]
/// counts["EE"] = 1
/// ```
package struct TextKey: Hashable, Comparable, ExpressibleByStringLiteral, Sendable {
  /// The text.
  package let text: String

  /// Wraps `text`.
  package init(_ text: some StringProtocol) { self.text = String(text) }
  /// Wraps a literal.
  package init(stringLiteral text: String) { self.text = text }

  /// The order of bytes.
  package static func < (left: TextKey, right: TextKey) -> Bool { left.text < right.text }
}

extension Sequence where Element == String {
  /// Each text once, in the order of bytes.
  package var distinct: [String] { Set(map { TextKey($0) }).sorted().map(\.text) }
}

extension Dictionary where Key == TextKey {
  /// The value of `text`.
  package subscript(text: String) -> Value? {
    get { self[TextKey(text)] }
    set { self[TextKey(text)] = newValue }
  }
}

extension Set where Element == TextKey {
  /// Whether `text` is a member.
  package func contains(_ text: some StringProtocol) -> Bool { contains(TextKey(text)) }

  /// Inserts `text`, unless it is a member, and returns whether it was inserted.
  @discardableResult
  package mutating func insert(_ text: String) -> Bool { insert(TextKey(text)).inserted }
}
