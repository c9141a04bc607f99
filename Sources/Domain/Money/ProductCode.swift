/// A product's code (SKU), such as `T2006`.
///
/// Codes are equal if their bytes are; importers normalize them to NFC. The alphabetical order ignores the case of
/// ASCII letters, then compares bytes.
package struct ProductCode: Sendable {
  /// The code as written.
  package let text: String

  /// The most UTF-8 bytes of a code.
  package static let maximumBytes = 128

  /// Makes a code.
  ///
  /// - Throws: ``MoneyError/malformedProduct(_:reason:)`` if it is empty, longer than ``maximumBytes``, starts or ends
  ///   with a space, or has a control character, which would break a line of output.
  package init(_ text: String) throws(MoneyError) {
    if let reason = Self.objection(to: text) {
      throw .malformedProduct(MoneyError.excerpt(of: text), reason: reason)
    }
    var native = text
    native.makeContiguousUTF8()
    self.text = native
  }

  private static func objection(to text: String) -> String? {
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > maximumBytes { return "it is longer than \(maximumBytes) bytes" }
    if text.utf8.first == 0x20 || text.utf8.last == 0x20 { return "it starts or ends with a space" }
    let isControl = text.unicodeScalars.contains(where: \.isControl)
    return isControl ? "it holds a control character" : nil
  }
}

extension ProductCode: Hashable, Comparable, CustomStringConvertible {
  /// Alphabetical order.
  package static func < (left: ProductCode, right: ProductCode) -> Bool { precedes(left.text.utf8, right.text.utf8) }

  /// Alphabetical order of the bytes of two codes, also from untrusted memory.
  ///
  /// - Complexity: O(bytes of the shorter one).
  package static func precedes(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    let (leftKey, rightKey) = (
      left.lazy.map(CurrencyCode.upperCased), right.lazy.map(CurrencyCode.upperCased)
    )
    if leftKey.lexicographicallyPrecedes(rightKey) { return true }
    return leftKey.elementsEqual(rightKey) && left.lexicographicallyPrecedes(right)
  }

  /// The code as written.
  package var description: String { text }
}
