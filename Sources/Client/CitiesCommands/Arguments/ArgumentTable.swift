/// The table of a command's options, flags and arguments.
///
/// A command declares them in one function, ``ArgumentGroup/declare(in:)``, which first runs with an empty table to
/// collect them. Help, manual, completion and suggestions iterate over the entries. To parse a command line, the table
/// assigns its words to the entries, and the function runs once more: each declaration now returns the value of its
/// entry.
package struct ArgumentTable {
  /// The declaration of an option, flag or argument, and its words.
  struct Entry {
    enum Kind: String { case option, flag, argument }

    var kind: Kind
    /// `--limit`; for an argument, its name in the help.
    var name: String
    /// `-n`.
    var short: String?
    /// The name of the value in the help.
    var value = ""
    /// Whether it may be repeated.
    var isRepeating = false
    /// Whether it must be given.
    var isRequired = false
    /// One line for help and manual, which omit an entry without one.
    var summary: String
    /// Additional text for the manual.
    var details = ""
    var completion = Completion.none
    /// The heading in the help, unless it is that of the command's own options.
    var section: String?
    /// The given words: empty for a flag, the value or values of an option, the words of an argument.
    fileprivate(set) var words: [String]?

    /// `-n, --limit <n>`.
    var label: String {
      let names = (short.map { "\($0), " } ?? "") + name
      return kind == .argument ? "<\(value)>" : kind == .flag ? names : "\(names) <\(value)>"
    }

    /// Whether `name` is the option's long or short name.
    func isCalled(_ name: some StringProtocol) -> Bool {
      kind != .argument && (self.name == name || short.map { $0 == name } ?? false)
    }
  }

  /// The entries in the order of declaration.
  private(set) var entries: [Entry] = []
  private var section: String?
  /// The index of the entry for the next declaration; `nil` while entries are being collected.
  private var next: Int?

  /// Creates the table of a command, without words.
  init(of verb: any Verb.Type) {
    // Only parsing words throws, and there are none.
    var verb: any Verb = verb.init()
    try? verb.declare(in: &self)
    try? verb.declareCommon(in: &self)
  }

  func named(_ name: some StringProtocol) -> Entry? { entries.first { $0.isCalled(name) } }

  func has(_ name: String) -> Bool { named(name) != nil }

  /// The arguments shown in the help, in order.
  var arguments: [Entry] { entries.filter { $0.kind == .argument && !$0.summary.isEmpty } }

  var options: [Entry] { entries.filter { $0.kind != .argument } }
}

/// Options that several commands share, or all options of a command.
package protocol ArgumentGroup: SendableMetatype {
  /// The heading in the help; `nil` to use the enclosing one.
  static var title: String? { get }

  /// Creates a group with default values.
  init()
  /// Declares each option, and stores its value in a property.
  ///
  /// - Throws: ``ValidationError`` if a word is not a valid value of its option.
  mutating func declare(in table: inout ArgumentTable) throws
  /// Rejects contradictory options; runs after each value was parsed.
  func validate() throws
}

extension ArgumentGroup {
  package static var title: String? { nil }
  package func validate() throws {}
}

// MARK: Declarations
extension ArgumentTable {
  /// The value of an option; `nil` if it was not given.
  mutating func option<Value>(
    _ name: String, short: String? = nil, _ value: String, _ form: OptionValue<Value>, _ summary: String,
    details: String = ""
  ) throws -> Value? {
    let words = words(
      of: Entry(
        kind: .option, name: name, short: short, value: value, summary: summary, details: details,
        completion: form.completion))
    return try words.map { try form.read(name, $0[0]) }
  }

  /// The values of an option that may be repeated, with one or more values each time.
  mutating func options<Value>(
    _ name: String, _ value: String, _ form: OptionValue<[Value]>, _ summary: String, details: String = ""
  ) throws -> [Value] {
    let words = words(
      of: Entry(
        kind: .option, name: name, value: value, isRepeating: true, summary: summary, details: details,
        completion: form.completion))
    return try (words ?? []).flatMap { try form.read(name, $0) }
  }

  /// Whether an option without a value was given.
  mutating func flag(_ name: String, short: String? = nil, _ summary: String, details: String = "") -> Bool {
    let words = words(
      of: Entry(kind: .flag, name: name, short: short, isRepeating: true, summary: summary, details: details))
    return words != nil
  }

  /// An argument; `nil` if it was not given.
  mutating func argument(
    _ value: String, _ summary: String, completion: Completion = .none, isRequired: Bool = false
  ) -> String? {
    words(
      of: Entry(
        kind: .argument, name: value, value: value, isRequired: isRequired, summary: summary, completion: completion)
    )?.first
  }

  /// The remaining arguments.
  mutating func arguments(_ value: String, _ summary: String, completion: Completion = .none) -> [String] {
    let words = words(
      of: Entry(
        kind: .argument, name: value, value: value, isRepeating: true, summary: summary, completion: completion))
    return words ?? []
  }

  /// Declares the options of a group.
  mutating func group<Group: ArgumentGroup>(_ group: inout Group) throws {
    let outer = section
    section = Group.title ?? outer
    try group.declare(in: &self)
    section = outer
    if next != nil { try group.validate() }
  }

  private mutating func words(of entry: @autoclosure () -> Entry) -> [String]? {
    guard let index = next else {
      entries.append(entry())
      entries[entries.count - 1].section = section
      return nil
    }
    next = index + 1
    return entries[index].words
  }
}

// MARK: Parsing
extension ArgumentTable {
  /// Parses `words` into a command.
  ///
  /// - Throws: ``ValidationError`` with the fault and its correction.
  static func read<Command: Verb>(_ type: Command.Type, _ words: [String]) throws -> Command {
    var table = ArgumentTable(of: type)
    try table.distribute(words, type)
    table.next = 0
    var command = Command()
    try command.declare(in: &table)
    try command.declareCommon(in: &table)
    try command.validate()
    return command
  }

  /// Whether a word is an option, not a negative number, a position or `-`.
  ///
  /// `near -33.9,18.4` and `rate convert -12.50 USD EUR` need no `--`; but `-0` alone or before a letter is an option.
  static func isOption(_ word: String) -> Bool {
    var bytes = word.utf8[...]
    guard bytes.popFirst() == UInt8(ascii: "-"), let first = bytes.first else { return false }
    if first == UInt8(ascii: "0") { return bytes.dropFirst().first.map { $0 >= UInt8(ascii: "A") } ?? true }
    if first == UInt8(ascii: ".") { bytes.removeFirst() }
    return bytes.first.map { !(0x30...0x39).contains($0) } ?? true
  }

  private mutating func distribute(_ words: [String], _ verb: any Verb.Type) throws {
    var rest = words[...]
    var arguments: [String] = []
    while let word = rest.popFirst() {
      if word == "--" {
        arguments += rest
        break
      } else if !Self.isOption(word) {
        arguments.append(word)
      } else if word.utf8.dropFirst().first == UInt8(ascii: "-") {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let index = index(of: parts[0]) else { throw unknown(word, verb, &rest) }
        try give(index, parts.count > 1 ? String(parts[1]) : nil, &rest)
      } else {
        try giveLetters(word, verb, &rest)
      }
    }
    try distribute(arguments: arguments[...], verb)
  }

  private func index(of name: some StringProtocol) -> Int? { entries.firstIndex { $0.isCalled(name) } }

  /// Splits `-0v`, `-n5` and `-n=5`.
  private mutating func giveLetters(
    _ word: String, _ verb: any Verb.Type, _ rest: inout ArraySlice<String>
  ) throws {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let index = index(of: "-\(letter)") else {
        throw unknown(word.hasPrefix("-\(letter)") ? word : "-\(letter)", verb, &rest)
      }
      if entries[index].kind == .option || letters.hasPrefix("=") {
        let value = letters.hasPrefix("=") ? letters.dropFirst() : letters
        return try give(index, letters.isEmpty ? nil : String(value), &rest)
      }
      try give(index, nil, &rest)
    }
  }

  /// Assigns an option its value: the text after the equals sign, or the next word.
  private mutating func give(_ index: Int, _ value: String?, _ rest: inout ArraySlice<String>) throws {
    let entry = entries[index]
    if entry.kind == .flag {
      guard value == nil else { throw ValidationError("\(entry.name) takes no value") }
      entries[index].words = []
      return
    }
    guard entry.words == nil || !Self.ofSets.contains(entry.name) else {
      throw ValidationError("\(entry.name) was given twice")
    }
    let isNext = value == nil && rest.first.map { !Self.isOption($0) } ?? false
    // `--country=$UNSET` is a mistake; a separate empty word is a value.
    guard let given = isNext ? rest.popFirst() : value, isNext || !given.isEmpty else {
      throw ValidationError("missing value for '\(entry.name) <\(entry.value)>'")
    }
    entries[index].words = (entry.isRepeating ? entry.words ?? [] : []) + [given]
  }

  /// The options of which several values could mean all of them; of any other option, the last one counts.
  private static let ofSets = ["--country", "--region", "--bank", "--columns", "--in", "--base"]

  private mutating func distribute(arguments: ArraySlice<String>, _ verb: any Verb.Type) throws {
    var rest = arguments
    for index in entries.indices where entries[index].kind == .argument && !rest.isEmpty {
      let taken = entries[index].isRepeating ? rest[...] : rest.prefix(1)
      entries[index].words = Array(taken)
      rest = rest.dropFirst(taken.count)
    }
    if let first = rest.first {
      let words = Choice.listed(rest.map { "'\($0)'" }, "and")
      let what = rest.count == 1 ? "unexpected argument \(words)" : "\(rest.count) unexpected arguments: \(words)"
      throw ValidationError(what + Advice(self, verb).onArgument(first))
    }
    if let missing = entries.first(where: { $0.isRequired && $0.words == nil }) {
      throw ValidationError("missing argument: '<\(missing.value)>'")
    }
  }

  private func unknown(_ word: String, _ verb: any Verb.Type, _ rest: inout ArraySlice<String>) -> ValidationError {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let value = parts.count > 1 ? parts[1] : rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    return ValidationError("unknown option '\(parts[0])'" + Advice(self, verb).onOption(parts[0], value))
  }
}

/// An error in the use of a command.
package struct ValidationError: Error, CustomStringConvertible {
  /// The problem, in one sentence.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
