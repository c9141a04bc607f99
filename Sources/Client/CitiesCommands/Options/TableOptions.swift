internal import System

/// The options of commands that read a table from standard input and write it with additional columns.
package struct TableOptions: ArgumentGroup {
  /// The format of the table.
  package private(set) var form = TableForm.tsv
  package var acceptChanges = false
  private var jobs: UInt64 = 1

  package mutating func declare(in table: inout ArgumentTable) throws {
    try table.option(&form, "--input", "format", .choice, "The format of the table: tsv (the default) or csv.")
    table.flag(
      &acceptChanges, "--accept-changes", "Continue if the server's data changes meanwhile.",
      details: """
        Without it, the command stops with exit status 75 before it writes a row from the new data.
        """)
    try table.option(
      &jobs, "--jobs", short: "-j", "n", .count(from: 0, to: 256),
      "Share the rows among n private servers (0: one per processor).",
      details: """
        The default is 1: the usual server answers all rows. With any other number, the command ignores the sockets \
        and starts private servers, which read the stored data and end with the command. The rows keep their order. \
        Unless all servers have opened the same data, the command stops with exit status 75. With 0, there is one \
        server for each processor that the command may use (its affinity, and the quotas of its control groups, \
        version 2). --socket and --accept-changes require --jobs 1. With more servers than processors, --timeout is \
        longer in proportion.
        """)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// How many private servers share the rows now; `nil` if the usual server answers them.
  package var privateServers: Int? { jobs == 1 ? nil : jobs == 0 ? Processors.usable : Int(jobs) }

  /// Refuses what private servers exclude.
  ///
  /// - Parameter connection: How the server is reached.
  /// - Throws: `ValidationError` for a named socket, and for changes that are accepted.
  func validate(_ connection: ConnectionOptions) throws {
    guard jobs != 1 else { return }
    if connection.namesSocket { throw ValidationError("--jobs cannot be combined with --socket") }
    if acceptChanges { throw ValidationError("--jobs cannot be combined with --accept-changes") }
  }
}

/// The format of an input table.
package enum TableForm: String, CaseIterable, Sendable {
  /// Values separated by TABs, one row per line.
  case tsv
  /// RFC 4180: values separated by commas, some of them quoted.
  case csv
}

/// A reference to a column of a table.
package enum TableColumn: Equatable, Sendable {
  /// The maximum number of columns of a row.
  package static let maximum = 10_000

  /// A number, from 1.
  case number(Int)
  /// A name in the first row.
  case name(String)

  /// Whether it is a number.
  package var isNumber: Bool {
    if case .number = self { true } else { false }
  }

  /// The column in the value of `option`.
  ///
  /// - Throws: `ValidationError` for an empty word, or a number out of range.
  package static func parse(_ option: String, _ word: String) throws -> TableColumn {
    guard !word.isEmpty else { throw ValidationError("\(option) must be a column: a number or a name") }
    guard word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .name(word) }
    guard let number = Int(word), (1...maximum).contains(number) else {
      throw ValidationError("\(option) must be a column from 1 to \(maximum), not '\(word)'")
    }
    return .number(number)
  }
}
