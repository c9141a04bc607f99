internal import System

/// The options of commands that read a table from standard input and write it with additional columns.
package struct TableOptions: ArgumentGroup {
  private var input: TableForm?
  /// The byte between values, if it is not that of the format.
  package private(set) var separator: UInt8?
  /// The encoding of the table, if it is named.
  package private(set) var encoding: TableEncoding?
  private var header = false
  /// The text before the names of the added columns, if it is named.
  package private(set) var prefix: String?
  package var acceptChanges = false
  private var jobs: UInt64 = 1

  package mutating func declare(in table: inout ArgumentTable) throws {
    input = try table.option("--input", "format", .choice, "The format of the table: tsv (the default) or csv.")
    separator = try table.option(
      "--separator", "character", .separator,
      "The separator: comma, semicolon, tab, bar or a sign.",
      details: """
        The table is read and written as csv with that character between values. Without this option, another of the \
        four is taken if only with it the first row has the columns that are selected by name; a line on standard error \
        says so. A row sep=; before that one, as spreadsheets have it, names it, too, and is copied.
        """)
    encoding = try table.option(
      "--encoding", "name", .choice, "The encoding of the table, which is written in UTF-8.",
      details: """
        It is utf-8, utf-16, latin1 or windows-1252. Without this option, a table with the byte order mark of UTF-16 is \
        decoded, and other bytes stay as they are; match stops with exit status 65 at a name or an area that is not \
        UTF-8. Without a byte order mark, utf-16 is little-endian.
        """)
    header = table.flag(
      "--header", "The first row has the names of the columns.",
      details: """
        Columns that are selected by name imply it.
        """)
    prefix = try table.option(
      "--prefix", "text", .text(.none), "Put this text before the names of the added columns.",
      details: """
        Without this option, it is city_ if the table has a column with one of these names already; a line on standard \
        error says so. The columns keep their places.
        """)
    acceptChanges = table.flag(
      "--accept-changes", "Continue if the server's data changes meanwhile.",
      details: """
        Without it, the command stops with exit status 75 before it writes a row from the new data.
        """)
    jobs = try Self.jobs(in: &table) ?? jobs
  }

  private static func jobs(in table: inout ArgumentTable) throws -> UInt64? {
    try table.option(
      "--jobs", short: "-j", "n", .count(from: 0, to: 256),
      "Use n private servers (0: one per processor).",
      details: """
        The default is 1: the usual server answers all rows. With any other number, the command ignores the sockets \
        and shares the rows among private servers, which read the stored data and end with the command. The rows keep \
        their order. \
        Unless all servers have opened the same data, the command stops with exit status 75. With 0, there is one \
        server for each processor that the command may use (its affinity, and the quotas of its control groups, \
        version 2). --socket and --accept-changes require --jobs 1. With more servers than processors, --timeout is \
        longer in proportion.
        """)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// The format of the table: with a separator of its own, the one that has quotes.
  package var form: TableForm { input ?? (separator == nil ? .tsv : .csv) }

  /// Whether the first row has the names of the columns, when these are selected.
  package func hasHeader(_ columns: [TableColumn]) -> Bool { header || !columns.allSatisfy(\.isNumber) }

  /// How many private servers share the rows now; `nil` if the usual server answers them.
  package var privateServers: Int? { jobs == 1 ? nil : jobs == 0 ? Processors.usable : Int(jobs) }

  /// Refuses what private servers and tsv exclude, and a prefix without names to put it before.
  ///
  /// - Parameters:
  ///   - connection: How the server is reached.
  ///   - columns: The selected columns.
  /// - Throws: `ValidationError` for such options.
  func validate(_ connection: ConnectionOptions, _ columns: [TableColumn]) throws {
    if separator != nil, input == .tsv {
      throw ValidationError("--separator cannot be combined with --input tsv, whose values are separated by tabs")
    }
    if prefix != nil, !hasHeader(columns) {
      throw ValidationError("--prefix requires a first row with names: add --header, or select columns by name")
    }
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

/// The encoding of an input table.
package enum TableEncoding: String, CaseIterable, Sendable {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
  /// ISO 8859-1.
  case latin1
  case windows1252 = "windows-1252"
}

/// The bytes that may stand between the values of a table.
package enum TableSeparator {
  /// Those that programs write, in the order in which they are tried.
  package static let usual: [(name: String, byte: UInt8)] = [
    ("semicolon", UInt8(ascii: ";")), ("tab", UInt8(ascii: "\t")), ("comma", UInt8(ascii: ",")),
    ("bar", UInt8(ascii: "|")),
  ]

  /// The separator in the value of `option`: a name, or a sign that neither numbers nor quotes have.
  ///
  /// - Throws: `ValidationError` for anything else.
  static func parse(_ option: String, _ word: String) throws -> UInt8 {
    if let named = usual.first(where: { $0.name == word }) { return named.byte }
    if word == "\\t" { return UInt8(ascii: "\t") }
    guard let byte = word.utf8.first, word.utf8.count == 1, byte == 0x09 || (0x20..<0x7F).contains(byte),
      !Character(Unicode.Scalar(byte)).isLetter, !"0123456789+-.\"".utf8.contains(byte)
    else { throw ValidationError("\(option) must be one sign such as ';', or \(names), not '\(word)'") }
    return byte
  }

  private static var names: String { Choice.listed(usual.map(\.name)) }
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
