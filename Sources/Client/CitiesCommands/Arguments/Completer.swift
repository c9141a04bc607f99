internal import CitiesClient
internal import CitiesProtocol

/// Completes a word at the shell's prompt; the scripts of contrib/completions ask for it.
///
/// The first line of the answer says what follows: `words` with a tab and a description after each, `titles` of cities,
/// or nothing, if `files` complete it.
struct Completer {
  /// The first word of such a question; the words after it are those typed so far, and the one to complete is the last.
  static let option = "---complete"

  /// The answer, without the last line's end.
  let text: String

  /// Completes the last of the words after the program's name.
  init(_ typed: [String]) {
    let start = typed.last ?? ""
    var words = Array(typed.dropLast())
    if words.first == "help" { words.removeFirst() }
    let named = NamedCommand(words)
    if let verb = named.verb {
      text = Self.answer(ArgumentTable(of: verb), named.rest, start)
    } else if start.hasPrefix("-") {
      text = Self.words([("--help", "Print this help."), ("--version", "Print the version.")], start)
    } else if let group = named.group {
      text = Self.words(named.rest.isEmpty ? group.verbs.map { ($0.name, $0.command.abstract) } : [], start)
    } else {
      let commands = Citiesctl.sections.flatMap { $0.commands.map { ($0.name, $0.abstract) } }
      text = Self.words(words.isEmpty ? commands + [("help", "Explain a command.")] : [], start)
    }
  }

  /// The answer about the word after `words`, which follow the name of a command.
  private static func answer(_ table: ArgumentTable, _ words: [String], _ start: String) -> String {
    var (given, arguments): (Set<String>, Int) = ([], 0)
    var option: ArgumentTable.Entry?
    var isOpen = true
    for word in words {
      if word == "=", option != nil { continue }  // bash makes three words of --match=folded
      if option != nil {
        option = nil
      } else if isOpen, word == "--" {
        isOpen = false
      } else if isOpen, ArgumentTable.isOption(word) {
        let exact = table.named(word)
        // --name=value and -n5 have their value.
        let entry = exact ?? table.named(word.prefix { $0 != "=" }) ?? table.named(word.prefix(2))
        if let entry, !entry.isRepeating || entry.kind == .flag { given.insert(entry.name) }
        option = exact?.kind == .option ? exact : nil
      } else {
        arguments += 1
      }
    }
    if let option { return answer(option, start == "=" ? "" : start) }
    if isOpen, ArgumentTable.isOption(start + "-") {
      let parts = start.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count > 1, let option = table.named(parts[0]) { return answer(option, String(parts[1]), "\(parts[0])=") }
      let options = table.options.filter { !given.contains($0.name) }.map { ($0.name, $0.summary) }
      return Self.words(options + [("--help", "Print this help.")], start)
    }
    let entries = table.arguments
    guard let entry = entries.indices.contains(arguments) ? entries[arguments] : entries.last(where: \.isRepeating)
    else { return Self.words([], start) }
    return answer(entry, start)
  }

  /// The values of an entry that start so; each after `prefix`.
  private static func answer(_ entry: ArgumentTable.Entry, _ start: String, _ prefix: String = "") -> String {
    switch entry.completion {
    case .none: words([], start)
    case .files: "files"
    case .choices(let names): words(names().filter { $0.hasPrefix(start) }.map { (prefix + $0, "") }, prefix)
    case .titles:
      titles(start) {
        CitySearch(prefix: start, match: .folded, limit: maximum)
      } of: {
        $0.rows
      }
    case .places:
      titles(start) {
        CityFind(query: start, limit: maximum)
      } of: {
        $0.rows.map(\.city)
      }
    }
  }

  private static func words(_ candidates: [(name: String, summary: String)], _ start: String) -> String {
    let fitting = candidates.filter { $0.name.hasPrefix(start) }
    let lines = fitting.map { $0.summary.isEmpty ? $0.name : "\($0.name)\t\($0.summary)" }
    return (["words"] + lines).joined(separator: "\n")
  }

  /// The largest number of titles.
  private static let maximum: UInt64 = 50
  /// How long the shell may be kept waiting; then there are no titles.
  private static let patience = Duration.milliseconds(200)

  private static func titles<Message: RequestMessage>(
    _ start: String, _ request: () -> Message, of rows: (Message.Reply) -> [CityRow]
  ) -> String {
    let client = Client(.init(location: SocketLocation(path: nil), timeout: patience, name: Product.title))
    guard !start.isEmpty, let reply = try? client.send(request()) else { return "titles" }
    return (["titles"] + titles(of: rows(reply))).joined(separator: "\n")
  }

  /// The titles, each once, in order, and safe for a terminal.
  static func titles(of rows: [CityRow]) -> [String] {
    var seen: Set<String> = []
    return rows.map { visible($0.title) }.filter { seen.insert($0).inserted }
  }
}
