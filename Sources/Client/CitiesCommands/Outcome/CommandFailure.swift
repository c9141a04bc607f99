package import CitiesClient
internal import CitiesProtocol

/// Why a command ends without its answer: a status for the shell, a code for programs, a sentence for people.
package struct CommandFailure: Error, Equatable {
  /// How the process ends.
  package var status: ExitStatus
  /// A code as on the wire, or one of the client's own such as `no-server`.
  package var code: String
  /// One sentence: what, where, what to do.
  package var message: String
  /// A second line for people, such as how a command is used.
  var hint: String?
  /// The name that could not be resolved, as the user typed it.
  package internal(set) var query: String?
  /// The start of the name that the server's error is about.
  private var value: String?
  /// `ambiguous`: the code of the country that the name means.
  package var country: String?
  /// The last lines for people: commands that go on from here.
  var advice: [String] = []
  /// `ambiguous`: what to choose from.
  var candidates: [CityRow] = []
  /// `ambiguous`: how many there are beyond ``candidates``.
  var unlisted: UInt64 = 0

  /// Makes a failure of the command's own.
  package init(_ status: ExitStatus, code: String, _ message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }

  /// Wrong use that the parser could not see.
  package static func usage(_ message: String, hint: String? = nil) -> Self {
    var failure = Self(.usage, code: "usage", message)
    failure.hint = hint
    return failure
  }

  /// A request without an answer, with parameters of the wire named by the options that they come from.
  package static func inWordsOfTheUser(_ error: ClientError) -> Self { Self(error as any Error) }

  /// A request without an answer.
  package init(_ error: ClientError) {
    (status, code) = error.outcome
    message = "\(error)"
    guard case .server(let reason) = error else { return }
    (country, value) = (reason.data?.country, reason.data?.value)
    candidates = reason.data?.candidates ?? []
    let total = reason.data?.total ?? 0
    unlisted = total > UInt64(candidates.count) ? total - UInt64(candidates.count) : 0
  }

  /// The failure about one of `queries`: the only one, or the one that the server names, of which it sends the start.
  func about(_ queries: [String]) -> Self {
    var failure = self
    let named = value.flatMap { value in queries.first { $0 == value } ?? queries.first { $0.hasPrefix(value) } }
    failure.query = named ?? (queries.count == 1 ? queries.first : nil)
    return failure
  }

  /// The failure with commands to go on with, made from `words`, the words of the command that failed.
  ///
  /// The example is that command with the first candidate in the place of the name: with its title, unless another
  /// candidate has the same, else with its id.
  func advised(_ words: [String]) -> Self {
    guard let query, let place = Self.range(of: query, in: words) else { return self }
    func command(_ name: [String]) -> String {
      "citiesctl "
        + (words[..<place.lowerBound] + name + words[place.upperBound...]).map(shellWord).joined(separator: " ")
    }
    var failure = self
    if code == "not-found", words[0] == "near" || words.starts(with: ["bank", "near"]),
      !words[..<place.lowerBound].contains("--"), let name = Self.withRadius(query)
    {
      failure.advice.insert("for a distance: \(command(name))", at: 0)
    }
    if let first = candidates.first {
      let isUnique = candidates.count { $0.title == first.title } == 1
      failure.advice.insert("for example: \(command([isUnique ? first.title : "\(first.id)"]))", at: 0)
    }
    return failure
  }

  /// `lyon --radius 30km` for `lyon 30km`; `nil` unless the name ends with a distance that has a unit.
  private static func withRadius(_ query: String) -> [String]? {
    let words = query.split(separator: " ").map(String.init)
    guard words.count > 1, let last = words.last, last.first?.isNumber == true, last.hasSuffix("m"),
      (try? OptionValue<Double>.distance.read("--radius", last)) != nil
    else { return nil }
    return words.dropLast() + ["--radius", last]
  }

  /// The words that are `query`, with spaces between them.
  private static func range(of query: String, in words: [String]) -> Range<Int>? {
    // A place may be called like the command.
    let first = words.count - NamedCommand(words).rest.count
    for start in first..<words.count where query.hasPrefix(words[start]) {
      for end in start + 1...words.count where words[start..<end].joined(separator: " ") == query { return start..<end }
    }
    return nil
  }

  /// Any error that a command may end with; parameters of the wire are named by the options that they come from.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ClientError:
      self.init(error)
      if case .server(let reason) = error { message = ServerMessage.inWordsOfTheUser(reason) ?? message }
    case let error as OutputError: self.init(.inputOutput, code: "output", "\(error)")
    default: self.init(.internalFault, code: "internal", "\(error)")
    }
  }
}

extension ClientError {
  /// How a command ends for lack of an answer, and the code of the error: the server's, or one of the client's own.
  var outcome: (status: ExitStatus, code: String) {
    switch self {
    case .noServer: (.unavailable, "no-server")
    case .permissionDenied: (.permission, "permission-denied")
    case .server(let reason) where reason.isForLackOfServer: (.unavailable, "no-server")
    case .server(let reason) where reason.isForLackOfRights: (.permission, "permission-denied")
    case .timedOut: (.notReady, "timed-out")
    case .protocolMismatch: (.protocolMismatch, "protocol-mismatch")
    case .server(let reason): (ExitStatus(reason.code), reason.code.rawValue)
    case .connectionLost: (.unavailable, "connection-lost")
    case .unreadableReply: (.protocolMismatch, "unreadable-reply")
    case .unsendable: (.badData, "unsendable")
    }
  }
}

extension WireError {
  /// Whether a private server has no data of that kind, which a running server may have or get.
  var isForLackOfServer: Bool { code == .unavailable && data?.phase == ErrorData.noServer }

  /// Whether a private server may not read the folder that may have the data.
  var isForLackOfRights: Bool { code == .unavailable && data?.phase == ErrorData.unreadable }
}
