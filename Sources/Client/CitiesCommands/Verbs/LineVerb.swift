package import CitiesProtocol

/// A command that answers the lines of standard input, one after the other, if its argument is `-`.
///
/// Many requests are under way at once then. `citiesctl-helper` does that: this program asks one question, and has no
/// code for more.
package protocol LineVerb: RowVerb {
  /// The request that a line asks.
  associatedtype Message: RequestMessage

  /// Whether the argument is `-`.
  var readsLines: Bool { get }
  /// Whether the rows of an answer are all there are.
  static var answersAreWhole: Bool { get }

  /// The request that `line` asks.
  ///
  /// - Throws: `CommandFailure` or a validation error for a line that asks nothing.
  func request(line: String) throws -> Message
  /// The columns that a row may have.
  var rowColumns: [ListingColumn<Row>] { get }
  /// The rows of an answer.
  func listing(_ reply: Message.Reply) -> Listing<Row>
}

extension LineVerb {
  /// The argument that means "read lines from standard input".
  package static var standardInput: String { "-" }
  package static var answersAreWhole: Bool { false }
  package var rowColumns: [ListingColumn<Row>] { Self.columns }

  /// Refuses what lines have no use for.
  func validateLines(_ choice: PlaceOptions? = nil) throws {
    if choice?.first == true { throw ValidationError("--first needs two requests: it cannot be combined with '-'") }
    switch rendering.output ?? .tsv {
    case .tsv where !rendering.endsRowsWithNUL, .jsonl: return
    default: throw ValidationError("with '-' the output is tsv or jsonl, and rows end with LF")
    }
  }
}

/// What the help of each such command says of `-`.
enum LineHelp {
  static let answers = """
    The command sends the requests of many lines at once. Each answer has the form that 'citiesctl session' describes; \
    its header has - for TOTAL where that is not known. Standard error also names each line without an answer; the exit \
    status is then 4, or that of the last error if no line has an answer.
    """
}

extension LineVerb {
  /// Whether answers are JSON lines.
  package var isJSON: Bool { rendering.output == .jsonl }

  /// The columns of a row that are wanted.
  ///
  /// - Throws: `CommandFailure` for a name that there is not.
  package func chosenColumns() throws(CommandFailure) -> [ListingColumn<Row>] {
    try Listing(columns: rowColumns, rows: [], total: 0).choosing(rendering.columns, for: isJSON ? .json : .rows)
  }
}
