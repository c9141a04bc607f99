/// One command of `citiesctl`: its arguments, and what it does with a ``Context``.
package protocol Verb: ArgumentGroup {
  /// Its name and what the help says of it.
  static var command: CommandText { get }
  /// How the server is reached.
  var connection: ConnectionOptions { get set }
  /// The form of the output.
  var rendering: OutputOptions { get }
  /// The names that `--columns` accepts.
  static var columnNames: [String] { get }

  /// Declares what comes after the command's own options: those of the connection, and before them those of the output.
  ///
  /// - Throws: as ``ArgumentGroup/declare(in:)``.
  mutating func declareCommon(in table: inout ArgumentTable) throws
  /// Does it.
  ///
  /// - Returns: How the process ends; the caller flushes the output.
  /// - Throws: ``CommandFailure``, `ClientError` or ``OutputError``.
  func perform(in context: Context) throws -> ExitStatus
}

extension Verb {
  /// None: most verbs that print no rows have no such option.
  package static var columnNames: [String] { [] }
  /// The default: most verbs that print no rows have options of their own.
  package var rendering: OutputOptions { OutputOptions() }
  /// A verb without options of its own.
  package mutating func declare(in table: inout ArgumentTable) throws {}
  /// Declares the options of the connection.
  package mutating func declareCommon(in table: inout ArgumentTable) throws { try table.group(&connection) }
}

/// A verb that prints rows.
package protocol RowVerb: Verb {
  /// How they are printed, and how the server is reached.
  var answer: AnswerOptions { get set }
  associatedtype Row
  /// The columns that its rows may have whatever the other options are.
  static var columns: [ListingColumn<Row>] { get }
}

extension RowVerb {
  package static var columnNames: [String] { CitiesCommands.columnNames(columns) }

  /// How rows are printed.
  package var rendering: OutputOptions { answer.rendering }
  /// How the server is reached.
  package var connection: ConnectionOptions {
    get { answer.connection }
    set { answer.connection = newValue }
  }

  /// Writes rows that are all there are.
  package func write(_ rows: [Row], generation: String? = nil, in context: Context) throws {
    let listing = Listing(columns: Self.columns, rows: rows, total: UInt64(rows.count), generation: generation)
    try context.render(listing)
  }

  /// Declares the options of the output and of the connection.
  package mutating func declareCommon(in table: inout ArgumentTable) throws { try table.group(&answer) }
}

/// The name of a command, and what help and manual say of it.
package struct CommandText: Sendable {
  static let program = "citiesctl"

  let name: String
  /// The group whose name precedes that of the command.
  let group: String?
  /// What follows the name, in a line for each form.
  let usage: String
  /// One sentence.
  let abstract: String
  /// Paragraphs, and examples after a comment each.
  var discussion: String { discuss() }
  /// Makes it when it is read, not for each command that is compared with a name.
  private let discuss: @Sendable () -> String

  init(
    _ name: String, in group: String? = nil, usage: String, abstract: String,
    discussion: @autoclosure @escaping @Sendable () -> String
  ) {
    (self.name, self.group, self.usage) = (name, group, usage)
    (self.abstract, discuss) = (abstract, discussion)
  }

  /// What to type: `citiesctl bank near`.
  var fullName: String {
    name == Self.program ? name : [Self.program, group, name].compactMap(\.self).joined(separator: " ")
  }

  /// What may follow that.
  var forms: [String] { usage.split(separator: "\n").map(String.init) }
}
