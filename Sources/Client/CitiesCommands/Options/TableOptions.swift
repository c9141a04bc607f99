/// The options of commands that read a table from standard input and write it with columns added.
package struct TableOptions: ArgumentGroup {
  /// The form of the table.
  package private(set) var form = TableForm.tsv
  package var acceptChanges = false

  package mutating func declare(in table: inout ArgumentTable) throws {
    try table.option(&form, "--input", "format", .choice, "The format of the table: tsv (the default) or csv.")
    table.flag(
      &acceptChanges, "--accept-changes", "Continue if the server's data changes meanwhile.",
      details: """
        Without it, the command stops with exit status 75 before it writes a row from the new data.
        """)
  }

  /// For the parser.
  package init() {}

}

/// The form of a table that is read.
package enum TableForm: String, CaseIterable, Sendable {
  /// Values between TABs, one row per line.
  case tsv
  /// RFC 4180: values between commas, some of them in quotes.
  case csv
}

/// A column of a table.
package enum TableColumn: Equatable, Sendable {
  /// Columns that a row may have.
  package static let maximum = 10_000

  /// Counted from 1.
  case number(Int)
  /// As the first row has it.
  case name(String)

  /// Whether it is counted.
  package var isNumber: Bool {
    if case .number = self { true } else { false }
  }

  /// The column that the value of `option` names.
  ///
  /// - Throws: `ValidationError` for the empty word, and for a number out of range.
  package static func parse(_ option: String, _ word: String) throws -> TableColumn {
    guard !word.isEmpty else { throw ValidationError("\(option) must be a column: a number or a name") }
    guard word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .name(word) }
    guard let number = Int(word), (1...maximum).contains(number) else {
      throw ValidationError("\(option) must be a column from 1 to \(maximum), not '\(word)'")
    }
    return .number(number)
  }
}
