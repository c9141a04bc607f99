internal import CitiesProtocol

/// The server's messages about parameters, in the words of the command line.
///
/// The server names parameters of the wire, `filter.country`, and methods, `bank.regions`; the user typed options and commands.
/// Only what `citiesctl call` sends has the wire's names: there the messages stay as they are.
enum ServerMessage {
  /// `--country: no country "Estnia"; did you mean "Estonia"?` for `the parameter "filter.country": no country "Estnia"; there
  /// are Bosnia and Herzegovina, Estonia, …`; any other message as it is.
  static func inWordsOfTheUser(_ message: String) -> String {
    let parts = message.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "the parameter ", parts[2].hasPrefix(": ") else { return message }
    let problem = withNearest(String(parts[2].dropFirst(2)))
    return option(String(parts[1])).map { "\($0): \(problem)" } ?? problem
  }

  /// The option or argument that a parameter comes from; `nil` if the user did not type it.
  private static func option(_ param: String) -> String? {
    let path = param.split(whereSeparator: { $0 == "." || $0 == "[" })
    let name = path.first == "filter" && path.count > 1 ? path[1] : path.first ?? ""
    return options[String(name)]
  }

  private static let options = [
    "country": "--country", "region": "--region", "bank": "--bank", "kind": "--kind", "at": "--at", "near": "--near",
    "in": "--in", "base": "--base", "radius": "--radius", "limit": "--limit", "offset": "--offset", "sort": "--sort",
    "match": "--match", "rounding": "--rounding", "force": "--force", "amount": "<amount>", "from": "<from>",
    "to": "<to>",
    "sku": "<sku>", "id": "<id>", "query": "<word>", "feeds": "<feed>", "subjects": "<subject>", "prefix": "<prefix>",
  ]

  /// A problem with a name, with the nearest of the known names instead of all of them, if one is near.
  ///
  /// The problem lists them itself, except for countries of cities, of which there are too many for a message.
  private static func withNearest(_ problem: String) -> String {
    let known = "bank.regions lists them"
    if problem.hasSuffix(known) { return problem.dropLast(known.count) + "'citiesctl bank regions' lists them" }
    let expected = "; expected a code or a name of one"
    if problem.hasPrefix("no country "), problem.hasSuffix(expected) {
      return suggestion(problem.dropLast(expected.count), CountryNames.all()) ?? problem
    }
    for mark in ["; there are ", "; known are "] {
      guard let list = problem.firstRange(of: mark) else { continue }
      let names = problem[list.upperBound...].split(separator: ", ").map(String.init)
      if let shown = suggestion(problem[..<list.lowerBound], names) { return shown }
    }
    return problem
  }

  /// `problem`, and the one of `names` that is nearest to the name in its quotes; `nil` if none is near.
  ///
  /// If the name is one of them, the server has no data for it, and another name would not help.
  private static func suggestion(_ problem: Substring, _ names: [String]) -> String? {
    guard let name = quoted(problem), let nearest = NearestName.of(name, among: names),
      nearest.lowercased() != name.lowercased()
    else { return nil }
    return "\(problem); did you mean \"\(nearest)\"?"
  }

  private static func quoted(_ text: Substring) -> String? {
    let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }
}
