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

  /// A problem with a name, with the nearest of the names that it lists instead of all of them, if one is near.
  private static func withNearest(_ problem: String) -> String {
    let known = "bank.regions lists them"
    if problem.hasSuffix(known) { return problem.dropLast(known.count) + "'citiesctl bank regions' lists them" }
    for mark in ["; there are ", "; known are "] {
      guard let list = problem.firstRange(of: mark), let name = quoted(problem[..<list.lowerBound]) else { continue }
      let names = problem[list.upperBound...].split(separator: ", ").map(String.init)
      guard let nearest = NearestName.of(name, among: names) else { continue }
      return "\(problem[..<list.lowerBound]); did you mean \"\(nearest)\"?"
    }
    return problem
  }

  private static func quoted(_ text: Substring) -> String? {
    let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }
}
