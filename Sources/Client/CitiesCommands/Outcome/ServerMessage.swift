internal import CitiesProtocol

/// The server's errors about parameters, in the words of the command line.
///
/// The server names parameters of the protocol, such as `filter.country`; the user typed options and commands.
/// Sentences are built from the error's data: messages are not parsed, and that of an older server without such data is
/// shown unchanged.
enum ServerMessage {
  /// `--at: not a time` for an error about a parameter, and for an unknown name the sentence without the option, as the
  /// name may be an argument of the command; `nil` for any other error.
  static func inWordsOfTheUser(_ error: WireError) -> String? {
    guard let data = error.data, let param = data.param, let problem = data.problem else { return nil }
    let path = param.split(whereSeparator: { $0.is(".") || $0.is("[") }).map(String.init)
    let name = path.first.is("filter") && path.count > 1 ? path[1] : path.first ?? ""
    return unknownName(data, name, isOfBanks: path.first.is("filter"))
      ?? options[name].map { "\($0): \(problem)" } ?? problem
  }

  private static let options: [TextKey: String] = [
    "country": "--country", "region": "--region", "bank": "--bank", "kind": "--kind", "at": "--at", "near": "--near",
    "in": "--in", "base": "--base", "radius": "--radius", "limit": "--limit", "offset": "--offset", "sort": "--sort",
    "match": "--match", "rounding": "--rounding", "force": "--force", "amount": "<amount>", "from": "<from>",
    "to": "<to>",
    "sku": "<sku>", "id": "<id>", "query": "<word>", "feeds": "<feed>", "subjects": "<subject>", "prefix": "<prefix>",
  ]

  /// The sentence about an unknown name; `nil` without a list of known ones.
  private static func unknownName(_ data: ErrorData, _ param: String, isOfBanks: Bool) -> String? {
    guard let value = data.value, let known = data.known else { return nil }
    let problem = "no \(nouns[param] ?? param) \"\(value)\""
    if let nearest = NearestName.of(value, among: known), nearest.lowercased() != value.lowercased() {
      return "\(problem); did you mean \"\(nearest)\"?"
    }
    let total = data.knownTotal ?? 0
    let others = total > UInt64(known.count) ? total - UInt64(known.count) : 0
    switch (param, others) {
    case ("region", _) where isOfBanks: return "\(problem); 'citiesctl bank regions' lists them"
    case ("country", 1...): return "\(problem); use a code (FR) or a name (France)"
    case (_, 0) where known.isEmpty: return "\(problem); there is none"
    default:
      let more = others == 0 ? "" : " and \(others) more"
      return "\(problem); there are \(known.sorted().joined(separator: ", "))\(more)"
    }
  }

  /// The nouns for the values of parameters.
  private static let nouns: [TextKey: String] = [
    "country": "country", "region": "region", "bank": "bank", "kind": "kind", "kinds": "kind", "in": "currency",
    "base": "currency", "from": "currency", "to": "currency", "feeds": "feed", "subjects": "subject",
  ]
}
