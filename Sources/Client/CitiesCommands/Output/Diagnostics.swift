import Base
internal import CBOR
internal import CitiesProtocol
internal import Glibc

/// Standard error: everything that is not the answer.
///
/// Text for people, JSON objects where the answer is JSON.
package struct Diagnostics {
  /// Where to.
  package var descriptor: Int32 = STDERR_FILENO
  /// Whether each message is a JSON object.
  var isJSON = false

  /// Writes to `descriptor`.
  package init(descriptor: Int32 = STDERR_FILENO) { self.descriptor = descriptor }

  /// Whether somebody looks at it.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Says something that is no error, such as that an answer was cut: `{"note": code, "message": …}`.
  package func note(_ code: String, _ message: String) {
    var line: [UInt8] = []
    if isJSON {
      line += "{\"note\":".utf8
      line.appendJSON(code)
      line.appendMember("message", .text(message))
      line += "}".utf8
    } else {
      line += "citiesctl: \(visible(joinedLines(message)))".utf8
    }
    say(line)
  }

  /// Says why the command has no answer: `{"error": {code, message, exit, candidates}}`.
  func report(_ failure: CommandFailure) {
    var line: [UInt8] = []
    if isJSON {
      line += "{\"error\":{\"code\":".utf8
      line.appendJSON(failure.code)
      line.appendMember("message", .text(failure.message))
      line.appendMember("exit", .count(UInt64(failure.status.rawValue)))
      line.appendCandidates(failure.candidates)
      if failure.unlisted > 0 { line.appendMember("unlisted", .count(failure.unlisted)) }
      line += "}}".utf8
    } else {
      line += "citiesctl: \(visible(joinedLines(failure.message)))".utf8
      if let hint = failure.hint { line += "\n\(visible(hint))".utf8 }
      for city in failure.candidates {
        line += "\n\(city.id)\t\(decimalText(city.lat)),\(decimalText(city.lon))\t\(visible(city.title))".utf8
      }
      if failure.unlisted > 0 { line += "\ncitiesctl: \(failure.unlisted) more are not listed".utf8 }
    }
    say(line)
  }

  /// Writes lines as they are, for the parser's messages.
  func say(_ text: String) { say(Array(text.utf8)) }

  /// Nowhere is left to complain about a standard error that cannot be written.
  private func say(_ line: [UInt8]) { try? Output.write(line + [UInt8(ascii: "\n")], to: descriptor) }
}

extension [UInt8] {
  /// Appends `,"candidates":[…]` unless there are none.
  fileprivate mutating func appendCandidates(_ candidates: [CityRow]) {
    guard !candidates.isEmpty else { return }
    self += ",\"candidates\":[".utf8
    for (index, city) in candidates.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendJSONObject(city, CityListing.columns)
    }
    append(UInt8(ascii: "]"))
  }
}
