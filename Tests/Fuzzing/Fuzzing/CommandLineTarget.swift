import TestSupport

@testable import CitiesCommands

/// The words of a command line, with a zero byte after each: they make a verb, a text or a message.
final class CommandLineTarget: FuzzTarget {
  static let name = "command-line"

  static var seeds: [[UInt8]] {
    get throws {
      let lines = try Repository.text(Repository.path("Tests/EndToEnd/command_lines.json")).split(separator: "\n")
      let words = lines.compactMap { $0.split(separator: "\"words\": [").last?.prefix { $0 != "]" } }
      return words.map { Array($0.split(separator: "\"").filter { $0 != ", " }.joined(separator: "\0").utf8) }
    }
  }

  init() {}

  func run(_ input: [UInt8]) throws {
    let words = input.split(separator: 0, omittingEmptySubsequences: false).prefix(64).map {
      String(validating: $0, as: UTF8.self)
    }
    guard words.allSatisfy({ $0 != nil }) else { return }
    let line = words.compactMap(\.self)
    _ = (CommandLineParser.completed(line), CommandLineParser.asksForJSON(line), NamedCommand(line).usage)
    switch CommandLineParser.parse(line) {
    case .verb(let verb): _ = verb.connection.wait
    case .message(let text), .overview(let text):
      guard !text.isEmpty || line.first == Completer.option else { throw FuzzFinding("nothing to say to \(line)") }
    case .wrongUse(let message, let usage):
      guard !message.isEmpty, !usage.isEmpty, !message.contains("\n") || input.contains(10) else {
        throw FuzzFinding("an unclear message to \(line)")
      }
      _ = CommandFailure.usage(message, hint: usage).advised(line)
    }
  }
}
