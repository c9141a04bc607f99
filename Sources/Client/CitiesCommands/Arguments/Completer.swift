/// Completes a word at the shell's prompt, for the scripts in contrib/completions.
///
/// The first line of the reply is its kind: `words` that start with the typed word; `titles` of cities or other values,
/// which may match by another name and replace the typed word; or `files`, without candidates. A candidate may be
/// followed by a tab and a description.
struct Completer {
  /// The first argument of a completion request; the typed words follow, the last of which is to be completed.
  static let option = "---complete"

  /// The reply, without a final line feed.
  let text: String

  /// Completes the last of the words after the program's name.
  init(_ typed: [String]) {
    let start = typed.last ?? ""
    var words = Array(typed.dropLast())
    if words.first.is("help") { words.removeFirst() }
    let named = NamedCommand(words)
    if let verb = named.verb {
      text = TypedLine(verb, named.rest).answer(start)
    } else if start.hasPrefix("-") {
      text = Self.words([("--help", "Print this help."), ("--version", "Print the version.")], start)
    } else if let group = named.group {
      text = Self.words(named.rest.isEmpty ? group.verbs.map { ($0.name, $0.command.abstract) } : [], start)
    } else {
      let commands =
        Citiesctl.sections.flatMap { $0.commands.map { ($0.name, $0.abstract) } }
        + [("help", "Explain a command.")]
      let isCommand = words.isEmpty && commands.contains { $0.0.hasPrefix(start) }
      // Without a command, the words are a place.
      let isPlace = !isCommand && (words.isEmpty || named.isUnlikeAll)
      text = isPlace ? TypedLine(FindVerb.self, words).answer(start) : Self.words(isCommand ? commands : [], start)
    }
  }

  /// A reply with the candidates that start with `start`.
  static func words(_ candidates: [(name: String, summary: String)], _ start: String) -> String {
    answer("words", candidates.filter { $0.name.hasPrefix(start) }.map { Candidate($0.name, $0.summary) })
  }

  /// A reply of the given kind.
  static func answer(_ kind: String, _ candidates: [Candidate]) -> String {
    ([kind] + candidates.map(\.line)).joined(separator: "\n")
  }
}

/// The options and arguments before the word to complete.
private struct TypedLine {
  private let verb: any Verb.Type
  private let table: ArgumentTable
  private var given: Set<TextKey> = []
  private var values: [TextKey: String] = [:]
  private var arguments: [String] = []
  /// The option whose value is next.
  private var option: ArgumentTable.Entry?
  /// Whether options may follow.
  private var isOpen = true

  /// Parses the words after the name of a command.
  init(_ verb: any Verb.Type, _ words: [String]) {
    (self.verb, table) = (verb, ArgumentTable(of: verb))
    for word in words { read(word) }
  }

  private mutating func read(_ word: String) {
    if word == "=", option != nil { return }  // bash makes three words of --match=folded
    if let option {
      values[option.name] = word
      self.option = nil
    } else if isOpen, word == "--" {
      isOpen = false
    } else if isOpen, ArgumentTable.isOption(word) {
      // --name=value, -n5 and -n=5 include their value.
      let name = word.hasPrefix("--") ? word.prefix { !$0.is("=") } : word.prefix(2)
      guard let entry = table.named(name) else { return }
      if !entry.isRepeating || entry.kind == .flag { given.insert(entry.name) }
      let value = word.dropFirst(name.count)
      if entry.kind == .option, value.isEmpty { option = entry }
      values[entry.name] = String(value.hasPrefix("=") ? value.dropFirst() : value)
    } else {
      arguments.append(word)
    }
  }

  /// The reply for the next word, which starts with `start`.
  func answer(_ start: String) -> String {
    if let option { return answer(option, start == "=" ? "" : start) }
    if isOpen, ArgumentTable.isOption(start + "-") {
      let parts = start.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count > 1, let option = table.named(parts[0]) { return answer(option, String(parts[1]), "\(parts[0])=") }
      let options = table.options.filter { !given.contains($0.name) }.map { ($0.name, $0.summary) }
      return Completer.words(options + [("--help", "Print this help.")], start)
    }
    let entries = table.arguments
    let entry =
      entries.indices.contains(arguments.count) ? entries[arguments.count] : entries.last(where: \.isRepeating)
    return entry.map { answer($0, start) } ?? Completer.words([], start)
  }

  /// The values of an entry that start with `start`, each after `prefix`.
  private func answer(_ entry: ArgumentTable.Entry, _ start: String, _ prefix: String = "") -> String {
    switch entry.completion {
    case .none: return Completer.words([], start)
    case .files: return "files"
    case .choices(let names): return words(names(), start, prefix)
    case .columns: return words(verb.columnNames, start, prefix, isList: true)
    case .tasks(let tasks):
      guard let name = arguments.first else { return words(tasks.map(\.name), start, prefix) }
      let most = tasks.first { $0.name == name }?.words.upperBound ?? 0
      guard arguments.count <= most else { return Completer.words([], start) }
      return arguments.count == 1 ? candidates(.feeds, start) : "files"
    default: return candidates(entry.completion, start, prefix, earlier: entry.kind == .argument ? arguments : [])
    }
  }

  private func candidates(
    _ completion: Completion, _ start: String, _ prefix: String = "", earlier: [String] = []
  ) -> String {
    let source = CandidateSource(socket: values["--socket"], country: values["--country"], earlier: earlier)
    // A name that starts with a hyphen would be an option, unless "--" or "--name=" precedes it.
    let candidates = source.candidates(for: completion, start).filter {
      !isOpen || !prefix.isEmpty || !ArgumentTable.isOption($0.text)
    }
    return Completer.answer("titles", candidates.map { Candidate(prefix + $0.text, $0.summary) })
  }

  /// The names that start with `start`; in a list, with the part after its last comma.
  private func words(_ names: [String], _ start: String, _ prefix: String, isList: Bool = false) -> String {
    let comma = isList ? start.lastIndex(of: ",").map { start[...$0] } ?? "" : ""
    return Completer.words(names.map { ("\(prefix)\(comma)\($0)", "") }, prefix + start)
  }
}
