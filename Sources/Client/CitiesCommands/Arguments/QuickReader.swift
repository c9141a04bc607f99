internal import ArgumentParser

/// Reads the words of a verb by the verb's own declaration, without the parser.
///
/// The parser mirrors every option of a command and asks the runtime of each what it conforms to. Each such question is
/// a walk over all conformances of the program; together they were seven eighths of what a short command costs. But the
/// declaration is `Decodable`, too: decoding it yields the names and kinds of all options, and decoding it once more
/// takes their values. So there is one declaration and two readers of it. This one reads only plain usage and declines
/// everything else; the parser then decides, and explains errors.
///
/// For this every option is a text, `String?`, which the verb reads and checks itself; the property is called like the
/// option, followed by `Word`. One that may be given several times is `[String]`, followed by `Words`. A test compares both
/// readers.
enum QuickReader {
  /// The verb, or `nil` if the parser must decide.
  ///
  /// - Complexity: O(words × options).
  static func read<Reading: Verb>(_ type: Reading.Type, _ words: [String]) -> Reading? {
    let decoder = WordDecoder()
    guard (try? Reading(from: decoder)) != nil, decoder.distribute(words) else { return nil }
    guard var verb = try? Reading(from: decoder), (try? verb.validate()) != nil else { return nil }
    return verb
  }

  /// The option of `verb` that `words` have twice although it takes one value; `nil` if there is none.
  ///
  /// The parser would take the last value, and the user would not notice that the first one has no effect.
  static func repeatedOption(_ verb: any Verb.Type, _ words: [String]) -> String? {
    let decoder = WordDecoder()
    return (try? verb.init(from: decoder)) == nil ? nil : decoder.repeatedOption(words.prefix { $0 != "--" })
  }

  /// The names of the options and flags of `verb`, such as `--output`.
  static func names(_ verb: any Verb.Type) -> [String] {
    let decoder = WordDecoder()
    return (try? verb.init(from: decoder)) == nil ? [] : decoder.items.filter { !$0.kind.isArgument }.map(\.name)
  }
}

/// A decoder of a verb's declaration: the first pass collects the declaration, the second one returns values.
final class WordDecoder: Decoder {
  /// One option, flag or argument.
  struct Item {
    enum Kind {
      case option, options, flag, argument, optionalArgument, arguments

      /// Whether it has no name.
      var isArgument: Bool { self == .argument || self == .optionalArgument || self == .arguments }
    }

    /// The name of the property.
    let key: String
    let kind: Kind
    /// The words given: none, the value or values of an option, or those of an argument.
    var words: [String] = []

    /// `--no-pager` for a property `noPager`, `--limit` for `limitWord`, `--kind` for `kindWords`, `--select-1` for `select1`.
    var name: String {
      var name = "--"
      let suffix = ["Word", "Words"].first { key.hasSuffix($0) && !kind.isArgument } ?? ""
      for letter in key.dropLast(suffix.count) {
        if letter.isUppercase || letter.isNumber { name += "-" }
        name += letter.lowercased()
      }
      return name
    }
  }

  /// The names of one letter, which stand for a longer one.
  static let shortNames = [
    (short: "-o", long: "--output"), (short: "-0", long: "--null"), (short: "-n", long: "--limit"),
    (short: "-c", long: "--country"), (short: "-m", long: "--match"), (short: "-s", long: "--sort"),
    (short: "-v", long: "--verbose"),
  ]

  /// The declared options and arguments, in that order.
  private(set) var items: [Item] = []
  private var isDistributed = false

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(WordContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Declined() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Declined() }

  /// Gives each word to what it belongs to.
  ///
  /// - Returns: whether all of them are understood, and nothing is missing.
  func distribute(_ words: [String]) -> Bool {
    var rest = words[...]
    var positional: [String] = []
    while let word = rest.popFirst() {
      if word == "--" {
        positional += rest
        rest = []
      } else if word == "-" || !word.hasPrefix("-") {
        positional.append(word)
      } else if !take(option: word, from: &rest) {
        return false
      }
    }
    isDistributed = true
    return distribute(arguments: positional[...])
  }

  private func take(option word: String, from rest: inout ArraySlice<String>) -> Bool {
    let long = Self.shortNames.first { $0.short == word }?.long
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = long ?? String(parts[0])
    guard let index = items.firstIndex(where: { $0.name == name }) else { return false }
    switch items[index].kind {
    case .flag where parts.count == 1: items[index].words = [""]
    case .option where items[index].words.isEmpty, .options:
      let value = parts.count == 2 ? String(parts[1]) : rest.popFirst()
      // An empty value and one that starts with a dash have their own rules.
      guard let value, !value.isEmpty, !value.hasPrefix("-") else { return false }
      items[index].words.append(value)
    default: return false
    }
    return true
  }

  /// The first option for one value that `words` have twice.
  fileprivate func repeatedOption(_ words: ArraySlice<String>) -> String? {
    var rest = words
    var seen: Set<String> = []
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let short = word.hasPrefix("--") ? nil : Self.shortNames.first { word.hasPrefix($0.short) }
      let name = short?.long ?? parts.first.map(String.init)
      guard let item = items.first(where: { $0.name == name }), item.kind == .option || item.kind == .options else {
        continue
      }
      if short == nil ? parts.count == 1 : word.count == 2 { _ = rest.popFirst() }
      if item.kind == .option, !seen.insert(item.name).inserted { return item.name }
    }
    return nil
  }

  private func distribute(arguments: ArraySlice<String>) -> Bool {
    var rest = arguments
    for index in items.indices {
      switch items[index].kind {
      case .option, .options, .flag: continue
      case .argument where rest.isEmpty: return false
      case .argument, .optionalArgument: items[index].words = Array(rest.prefix(1))
      case .arguments: items[index].words = Array(rest)
      }
      rest = rest.dropFirst(items[index].words.count)
    }
    return rest.isEmpty
  }

  /// The wrapper of the property `key`; while learning, one without a value.
  fileprivate func wrapper<Wrapper: Decodable>(_ type: Wrapper.Type, _ key: String) throws -> Wrapper {
    if type == Option<String?>.self {
      var wrapper = Prototype.option
      wrapper.wrappedValue = words(key, .option).first
      return try same(wrapper)
    } else if type == Option<[String]>.self {
      var wrapper = Prototype.options
      wrapper.wrappedValue = words(key, .options)
      return try same(wrapper)
    } else if type == Flag<Bool>.self {
      var wrapper = Prototype.flag
      wrapper.wrappedValue = !words(key, .flag).isEmpty
      return try same(wrapper)
    } else if type == Argument<Word>.self {
      var wrapper = Argument<Word>()
      wrapper.wrappedValue = Word(argument: words(key, .argument).first ?? "")
      return try same(wrapper)
    } else if type == Argument<Word?>.self {
      var wrapper = Argument<Word?>()
      wrapper.wrappedValue = words(key, .optionalArgument).first.map(Word.init)
      return try same(wrapper)
    } else if type == Argument<[String]>.self {
      var wrapper = Argument<[String]>()
      wrapper.wrappedValue = words(key, .arguments)
      return try same(wrapper)
    }
    // A group of options, which decodes itself; any other wrapper refuses this decoder.
    return try Wrapper(from: self)
  }

  private func words(_ key: String, _ kind: Item.Kind) -> [String] {
    if isDistributed { return items.first { $0.key == key }?.words ?? [] }
    items.append(Item(key: key, kind: kind))
    return []
  }

  private func same<Wrapper>(_ wrapper: some Any) throws -> Wrapper {
    guard let wrapper = wrapper as? Wrapper else { throw Declined() }
    return wrapper
  }
}

/// Thrown where the parser must decide.
private struct Declined: Error {}

/// Wrappers to be copied, because making one examines its name.
private enum Prototype {
  static let option = Option<String?>(name: "--option")
  static let options = Option(wrappedValue: [String](), name: "--options")
  static let flag = Flag(wrappedValue: false, name: "--flag")
}

/// The properties of a verb or of a group.
private struct WordContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: WordDecoder

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<Wrapper: Decodable>(_ type: Wrapper.Type, forKey key: Key) throws -> Wrapper {
    try decoder.wrapper(type, key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw Declined() }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Declined() }
  func superDecoder() throws -> any Decoder { throw Declined() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw Declined() }
}
