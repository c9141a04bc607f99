/// Why sections do not form an index.
public struct SectionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problem, with the expected and the found value.
  public var message: String
  /// Makes an error.
  public init(_ message: String) { self.message = message }
  /// The message.
  public var description: String { message }
}

/// The named sections of an index in borrowed memory, with checks of their sizes.
package struct SectionTable<Name: RawRepresentable<String> & CaseIterable & Hashable> {
  private var sections: [Name: UnsafeRawBufferPointer] = [:]

  /// Collects each section that `provider` has.
  package init(_ provider: (Name) -> UnsafeRawBufferPointer?) {
    for name in Name.allCases { sections[name] = provider(name) }
  }

  /// The bytes of a section; empty if there is none.
  package subscript(name: Name) -> UnsafeRawBufferPointer {
    sections[name] ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The bytes of a section, whose size must be one of `sizes`.
  ///
  /// - Throws: ``SectionError`` with the expected sizes and the actual one.
  @discardableResult
  package func expect(_ name: Name, _ sizes: [Int]) throws(SectionError) -> UnsafeRawBufferPointer {
    let bytes = self[name]
    guard sizes.contains(bytes.count) else {
      let expected = sizes.map(String.init).joined(separator: " or ")
      throw SectionError("section \(name.rawValue): expected \(expected) bytes, found \(bytes.count)")
    }
    return bytes
  }

  /// Checks that a section has whole records of `unit` bytes.
  ///
  /// - Throws: ``SectionError`` with the size of a record and of the section.
  package func expect(_ name: Name, multipleOf unit: Int) throws(SectionError) {
    let found = self[name].count
    guard found % unit == 0 else {
      throw SectionError("section \(name.rawValue): expected records of \(unit) bytes, found \(found) bytes")
    }
  }

  /// The table in a section.
  ///
  /// - Throws: ``SectionError`` if its bytes are not a table, or one of more than `maximum` entries.
  package func table(_ name: Name, maximum: Int = .max) throws(SectionError) -> ByteTable {
    guard let table = ByteTable(self[name]), table.count <= maximum else {
      throw SectionError("section \(name.rawValue): expected a table, found \(self[name].count) bytes")
    }
    return table
  }
}
