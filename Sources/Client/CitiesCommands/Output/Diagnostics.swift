internal import CBOR
import CBORTools
internal import CitiesClient
internal import CitiesProtocol
internal import Glibc
internal import System

/// Standard error, for everything but the answer.
///
/// Text for people, or JSON objects if the answer is JSON.
package struct Diagnostics {
  /// The descriptor to write to.
  package var descriptor: Int32 = STDERR_FILENO
  /// Whether each message is a JSON object.
  var isJSON = false
  /// Whether notes are left out without which no answer misleads.
  var isQuiet = false

  /// Keeps messages instead of writing them.
  private let kept: OutputStream?

  /// Writes to `descriptor`.
  package init(descriptor: Int32 = STDERR_FILENO) { (self.descriptor, kept) = (descriptor, nil) }

  /// Keeps messages for ``takeKept()``.
  package init(keeping kept: OutputStream) { (descriptor, self.kept) = (-1, kept) }

  /// The messages since the last call, without the program's name.
  package func takeKept() -> [String] {
    defer { kept?.bytes = [] }
    return String(decoding: kept?.bytes ?? [], as: UTF8.self).split(separator: "\n").map {
      String($0.hasPrefix(Self.prefix) ? $0.dropFirst(Self.prefix.count) : $0)
    }
  }

  private static let prefix = "citiesctl: "
  /// The most cities to choose from that a terminal shows.
  private static let mostCandidates = 10

  /// Whether the descriptor is a terminal.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes a note that is not an error, such as that rows were left out: `{"note": code, "message": …}`.
  package func note(_ code: String, _ message: String) {
    if isQuiet, Self.dispensable.contains(code) { return }
    guard !isJSON else { return say(CBORValue.object(["note": .text(code), "message": .text(message)]).json()) }
    say(fitted("citiesctl: \(visible(joinedLines(message)))"))
  }

  /// The notes without which no answer misleads: not those about samples, old or partial data, and guesses.
  private static let dispensable = [
    "cut", "empty", "resolved", "place", "country", "region", "saved", "removed", "colours", "no-names", "holidays",
    "parts", "metres", "terminal",
  ]

  /// Reports the reason why the command has no answer: `{"error": {code, message, exit, candidates}}`.
  func report(_ failure: CommandFailure) {
    var line: [UInt8] = []
    if isJSON {
      line += "{\"error\":{\"code\":".utf8
      line.appendJSON(failure.code)
      line.appendMember("message", .text(failure.message))
      line.appendMember("exit", .count(UInt64(failure.status.rawValue)))
      if !failure.candidates.isEmpty {
        line += ",\"candidates\":[".utf8
        line.appendJSONObjects(failure.candidates, CityListing.columns.filter { $0.places.contains(.json) })
        line += "]".utf8
      }
      if failure.unlisted > 0 { line.appendMember("unlisted", .count(failure.unlisted)) }
      line.appendMember("country", RowValue(failure.country))
      line += "}}".utf8
    } else {
      // On a terminal the sentence is below the rows, where the eye is, unless it introduces them.
      let isBelow = isTerminal && failure.hint == nil && !failure.candidates.isEmpty
      let shown = isBelow ? Array(failure.candidates.prefix(Self.mostCandidates)) : failure.candidates
      if isBelow { line += candidates(shown).dropFirst() + [UInt8(ascii: "\n")] }
      line += fitted("citiesctl: \(visible(joinedLines(failure.message)))").utf8
      if let hint = failure.hint { line += "\n\(fitted(visible(hint)))".utf8 }
      if !isBelow { line += candidates(shown) }
      let unlisted = failure.unlisted + UInt64(failure.candidates.count - shown.count)
      // For a country, most cities are not listed, as expected.
      if unlisted > 0, failure.country == nil { line += "\ncitiesctl: \(unlisted) more are not listed".utf8 }
      // A command is not wrapped, so that it can be copied.
      for advice in failure.advice { line += "\n\(inCharset(visible(advice)))".utf8 }
    }
    say(line)
  }

  private func fitted(_ text: String) -> String { terminalLines(inCharset(text), to: descriptor) }

  /// A message with the program's own signs in ASCII, if the locale has no others; names stay as they are.
  private func inCharset(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }), !LocaleCodeset.isUTF8(ProcessEnvironment.variable) else { return text }
    let signs: [TextKey: String] = ["…": "...", "µ": "u", "·": "-", "°": " degrees", "−": "-", "–": "-", "×": "x"]
    return text.map { signs[String($0)] ?? String($0) }.joined()
  }

  /// The lines with the cities to choose from, each after a line feed: a table on a terminal; elsewhere id, position,
  /// title, region and population, separated by tabs.
  private func candidates(_ cities: [CityRow]) -> [UInt8] {
    guard isTerminal, !cities.isEmpty else { return cities.flatMap { Array(Self.line($0).utf8) } }
    let page = OutputStream(descriptor: -1)
    page.keepsEverything = true
    let table = Table(
      columns: CityListing.candidateColumns, width: TerminalSize(descriptor: descriptor)?.columns,
      ellipsis: LocaleCodeset.isUTF8(ProcessEnvironment.variable) ? "…" : "~")
    // Nothing is written to a descriptor, so no error can occur.
    try? table.write(cities, to: page)
    return [UInt8(ascii: "\n")] + page.bytes.dropLast()
  }

  private static func line(_ city: CityRow) -> String {
    var line = "\n\(city.id)\t\(decimalText(city.lat)),\(decimalText(city.lon))\t\(visible(city.title))"
    if let region = city.region { line += "\t\(visible(region))" }
    if let population = city.population { line += "\t\(population)" }
    return line
  }

  /// Writes lines unchanged.
  func say(_ text: String) { say(Array(text.utf8)) }

  /// An error on standard error cannot be reported anywhere.
  private func say(_ line: [UInt8]) {
    let line = line + [UInt8(ascii: "\n")]
    if let kept { kept.bytes += line } else { try? OutputStream.write(line, to: descriptor) }
  }
}

extension Diagnostics {
  /// Prints one frame: its bytes in hexadecimal, each item annotated, then the whole in diagnostic notation.
  ///
  /// ```
  /// > frame of 35 bytes
  /// > 0000001f                                      # 31 bytes
  /// > a3                                            # map of 3
  /// >   62 6964                                     # "id"
  /// >   …
  /// > {"id": 1, "method": "status", "params": {}}
  /// ```
  func trace(_ direction: Client.Direction, _ payload: UnsafeRawBufferPointer) {
    let arrow: StaticString = direction == .sent ? "> " : "< "
    let lines = frameLines(Array(payload))
    say(lines.map { "\(arrow)\($0)" }.joined(separator: "\n"))
  }
}

/// The lines about the frame of `payload`.
private func frameLines(_ payload: [UInt8]) -> [String] {
  let (a, b, c, d) = Frame.header(length: payload.count)
  let header = "\(hexadecimal([a, b, c, d]))                                      # \(payload.count) bytes"
  return ["frame of \(Frame.headerSize + payload.count) bytes", header] + payloadLines(payload)
}

private func payloadLines(_ payload: [UInt8]) -> [String] {
  do {
    let annotated = try annotatedHexadecimal(payload, limits: .reply).split(separator: "\n").map(String.init)
    return annotated + [try CBORValue(decoding: payload).diagnostic]
  } catch {
    let lines = stride(from: 0, to: payload.count, by: 32).map { start in
      hexadecimal(payload[start..<min(start + 32, payload.count)])
    }
    return lines + ["not a CBOR item: \(error)"]
  }
}

/// `bytes` as lower-case hexadecimal digits.
private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { hexadecimal(UInt64($0), digits: 2) }.joined()
}
