package import CitiesClient
package import CitiesProtocol
internal import System

/// The reason why a command fails: a status for the shell, a code for programs, a sentence for people.
package struct CommandFailure: Error, Equatable {
  /// The exit status of the process.
  package var status: ExitStatus
  /// An error code of the protocol, or one of the client's own such as `no-server`.
  package var code: String
  /// One sentence with the problem, its place and the remedy.
  package var message: String
  /// A second line for people, such as the usage of the command.
  var hint: String?
  /// The name that could not be resolved, as typed.
  package internal(set) var query: String?
  /// The start of the name to which the server's error refers.
  private var value: String?
  /// `ambiguous`: the code of the country that the name means.
  package var country: String?
  /// The last lines for people: commands to try next.
  var advice: [String] = []
  /// `ambiguous`: the cities to choose from.
  package internal(set) var candidates: [CityRow] = []
  /// `ambiguous`: the number of cities beyond ``candidates``.
  var unlisted: UInt64 = 0

  /// Creates a failure detected by the command itself.
  package init(_ status: ExitStatus, code: String, _ message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }

  /// Creates a failure for wrong usage that the parser cannot detect.
  package static func usage(_ message: String, hint: String? = nil) -> Self {
    var failure = Self(.usage, code: "usage", message)
    failure.hint = hint
    return failure
  }

  /// Creates a failure from the error of a request, in words of the protocol.
  package init(ofProtocol error: ClientError) {
    (status, code) = error.outcome
    message = Self.shortened("\(error)")
    guard case .server(let reason) = error else { return }
    (country, value) = (reason.data?.country, reason.data?.value)
    candidates = reason.data?.candidates ?? []
    let total = reason.data?.total ?? 0
    unlisted = total > UInt64(candidates.count) ? total - UInt64(candidates.count) : 0
  }

  /// The start of a message that a server has made; no correct one is so long.
  private static func shortened(_ message: String) -> String {
    let start = message.excerpt(2_000)
    return start.utf8.count < message.utf8.count ? start + "..." : message
  }

  /// The failure about one of `queries`: the only one, or the one that starts with the value in the server's error.
  func about(_ queries: [String]) -> Self {
    var failure = self
    let named = value.flatMap { value in queries.first { $0 == value } ?? queries.first { $0.hasPrefix(value) } }
    failure.query = named ?? (queries.count == 1 ? queries.first : nil)
    return failure
  }

  /// The failure with suggested commands, derived from `words`, the words of the command that failed.
  ///
  /// The example is that command with the first candidate instead of the name: with its title, unless another candidate
  /// has the same one, or else with its id.
  func advised(_ words: [String]) -> Self {
    if code == "not-found", words.count == 3, words[0] == "bank", ["show", "map"].contains(words[1]),
      !words[2].contains(where: \.isNumber)
    {
      var failure = self
      let near = words[1] == "map" ? "map --near" : "near"
      failure.advice.append("for the locations around a city: citiesctl bank \(near) \(quotedForShell(words[2]))")
      return failure
    }
    guard let query, let place = Self.range(of: query, in: words) else { return self }
    func command(_ name: [String]) -> String {
      "citiesctl "
        + (words[..<place.lowerBound] + name + words[place.upperBound...]).map(quotedForShell).joined(separator: " ")
    }
    var failure = self
    if code == "not-found", words[0] == "near" || words[0] == "bank" && words.dropFirst().first.is("near"),
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

  /// `lyon --radius 30km` for `lyon 30km`; `nil` unless the name ends with a distance with a unit.
  private static func withRadius(_ query: String) -> [String]? {
    let words = query.split(separator: " ").map(String.init)
    guard words.count > 1, let last = words.last, last.first?.isNumber == true, last.last?.isLetter == true,
      (try? OptionValue<Double>.distance.read("--radius", last)) != nil
    else { return nil }
    return words.dropLast() + ["--radius", last]
  }

  /// The range of the words that form `query`, joined by spaces.
  private static func range(of query: String, in words: [String]) -> Range<Int>? {
    // A place may have the same name as the command.
    let first = words.count - NamedCommand(words).rest.count
    for start in first..<words.count where query.hasPrefix(words[start]) {
      for end in start + 1...words.count where words[start..<end].joined(separator: " ") == query { return start..<end }
    }
    return nil
  }

  /// Creates a failure from any error; options replace the parameters of the protocol.
  package init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ClientError:
      self.init(ofProtocol: error)
      guard case .server(let reason) = error, let text = ServerMessage.inWordsOfTheUser(reason) else { return }
      message = Self.shortened(text)
    case let error as ValidationError: self = .usage(error.message)
    case let error as SystemError: self.init(.inputOutput, code: "input-output", error.description)
    case let error as OutputError: self.init(.inputOutput, code: "output", "\(error)")
    default: self.init(.internalFault, code: "internal", "\(error)")
    }
  }
}

extension ClientError {
  /// The exit status for a request without a reply, and the code of the error: the server's, or one of the client's
  /// own.
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
  /// Whether a private server lacks data of a kind that a running server may have or fetch.
  var isForLackOfServer: Bool { code == .unavailable && data?.phase == ErrorData.noServer }

  /// Whether a private server may not read the folder with the data.
  var isForLackOfRights: Bool { code == .unavailable && data?.phase == ErrorData.unreadable }
}
