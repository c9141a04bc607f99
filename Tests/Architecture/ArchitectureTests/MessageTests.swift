import TestSupport
import Testing

/// Messages are for people: programs decide by the code and the data of an error, so that a message may change at any
/// time.
@Suite struct MessageTests {
  /// The texts that the description of the wire calls English text for people, as Swift and Python name them.
  private let texts = #/[.\["'](?:message|problem|missing|lastError|last_error)(?:["']\])?[?!)]*/#
  /// Calls that look into a text, by the starts of their names.
  private let looks = #/\.(contains|has[PS]|split|first|whole|matches|range|starts|ends|prefix|suffix|drop)/#
  /// The same, by whole names.
  private let otherLooks = #/\.(replac\w+|partition|find|index|utf8|unicodeScalars|lower(cased)?)\b/#
  private let comparisons = #/^\s*(?:==|!=)\s*["'f]/#

  /// Whether a line of a program looks into a text for people.
  private func reads(_ line: Substring) -> Bool {
    for match in line.matches(of: texts) {
      let rest = line[match.range.upperBound...]
      if rest.prefixMatch(of: looks) != nil || rest.prefixMatch(of: otherLooks) != nil { return true }
      if rest.prefixMatch(of: comparisons) != nil { return true }
    }
    // Python looks for a text in another with an operator, and at that of an exception.
    return line.contains(#/\bin\s+(?:str\()?\w*(?:error|fault|failure)\w*(?:\)|\.args|\["message"\])/#)
      || line.contains(#/\bre\.\w+\(.*(?:message|str\((?:error|fault)\))/#)
  }

  @Test(arguments: ["Sources/Client", "Sources/Server", "Sources/Sync", "Sources/Service", "contrib/integrations"])
  func `no program reads a message`(folder: String) throws {
    for file in Repository.files(under: folder) where file.hasSuffix(".swift") || file.hasSuffix(".py") {
      for (index, line) in try Repository.text(Repository.path(file)).split(
        separator: "\n", omittingEmptySubsequences: false
      ).enumerated() where mayRead(line) {
        #expect(!reads(line), "\(file):\(index + 1) reads a text for people: \(line)")
      }
    }
  }

  /// Whether a line has a word that ``reads(_:)`` looks for: most have none, and are not worth an expression.
  private func mayRead(_ line: Substring) -> Bool {
    ["message", "problem", "missing", "lastError", "error", "fault", "failure"].contains { line.contains($0) }
  }

  @Test(arguments: [
    (#"if error.message.contains("\"x\"") {"#, true), (#"guard reason.data?.problem?.hasPrefix("no ") == true"#, true),
    (#"return failure.message == "gone""#, true), (#"let parts = error.message.split(separator: "\"")"#, true),
    (#"if "no city" in str(error):"#, true), (#"if error["message"].startswith("no "):"#, true),
    (#"if re.search("no (city|country)", str(error)):"#, true),
    (#"line.appendMember("message", .text(failure.message))"#, false), (#"throw .usage(error.message)"#, false),
    (#"for feed in feeds where feed.missing != nil {"#, false), (#"if "error" in message:"#, false),
    (#"super().__init__(message)"#, false), (#"note(error.code, "line \(number): \(error.message)")"#, false),
  ])
  func `a look into a message is found`(line: String, isFound: Bool) {
    #expect(reads(line[...]) == isFound && (!isFound || mayRead(line[...])))
  }
}
