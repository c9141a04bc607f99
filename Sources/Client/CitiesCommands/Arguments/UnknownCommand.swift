internal import ArgumentParser

/// What people may have meant by words that do not start with a command.
///
/// `citiesctl kyiv` is about a place, `convert 12.50 usd eur` leaves out the subject, and `kyiv time` has the command last. Of
/// several other words nobody can say what they are, and a command made of them would be nonsense.
struct UnknownCommand {
  private let words: [String]

  /// Takes the words up to the first option; there is at least one.
  init(_ words: some Sequence<String>) { self.words = Array(words) }

  /// The end of a message that names the unknown command.
  var advice: String {
    let subjects = subjects
    if subjects.count > 1 {
      return "; did you mean \(Choice.listed(subjects.map { "'\($0._commandName) \(words[0])'" }))?"
    }
    guard let meant = subjects.first.map({ [$0._commandName] + words }) ?? later ?? place else {
      return "; 'citiesctl --help' lists all commands; 'citiesctl find WORDS' looks up a place"
    }
    return Self.question(meant)
  }

  /// `; did you mean 'citiesctl find kyiv'?`.
  static func question(_ meant: [String]) -> String {
    "; did you mean 'citiesctl \(meant.map { shellWord(ArgumentRewriter.unmarked($0)) }.joined(separator: " "))'?"
  }

  /// The subjects that have a command with the name of the first word.
  private var subjects: [any VerbGroup.Type] {
    Citiesctl.groups.filter { $0.verbs.contains { $0._commandName == words[0] } }
  }

  /// A later word as the command, with the words after it, or before it if it is the last.
  private var later: [String]? {
    for index in words.indices.dropFirst() {
      let group = Citiesctl.groups.first { $0._commandName == words[index] }
      let named = group?.usual ?? Citiesctl.verbs.first { $0._commandName == words[index] }
      guard let verb = named else { continue }
      let arguments = Array(index == words.count - 1 ? words[..<index] : words[(index + 1)...])
      guard verb.read(arguments) != nil else { continue }
      return (group.map { [$0._commandName] } ?? []) + [verb._commandName] + arguments
    }
    return nil
  }

  /// A single word as a position, an id or a name; a name with digits is rather something else.
  private var place: [String]? {
    let word = ArgumentRewriter.unmarked(words[0])
    guard words.count == 1 else { return nil }
    if (try? PlaceArgument.position(word)) != nil { return [NearVerb._commandName, word] }
    if PlaceArgument.cityID(word) != nil { return [ShowVerb._commandName, word] }
    return word.contains(where: \.isNumber) ? nil : [FindVerb._commandName, word]
  }
}
