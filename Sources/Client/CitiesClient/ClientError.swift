@_exported public import ByteText
public import CitiesProtocol

/// Why a request has no answer.
///
/// `description` is one English sentence for people: what, where, and what to do. The cases are for programs.
public enum ClientError: Error, Equatable, Sendable {
  /// No server listens on any of the sockets.
  case noServer(tried: [Attempt])
  /// This user may not use the socket.
  case permissionDenied(path: String)
  /// The answer was not complete within `after`.
  case timedOut(path: String, after: Duration)
  /// Client and server have no protocol version in common.
  case protocolMismatch(client: Endpoint, server: Endpoint)
  /// The server answered with an error.
  case server(WireError)
  /// The connection broke, and so did the second one.
  case connectionLost(path: String, reason: String)
  /// The server's bytes are not a valid answer to the request.
  case unreadableReply(path: String, reason: String)
  /// The request cannot be sent: it is too large, or a value in it cannot be encoded.
  case unsendable(reason: String)

  /// A socket that was tried, and the outcome.
  public struct Attempt: Equatable, Sendable {
    /// The socket.
    public var path: String
    /// The reason, such as `no such socket`.
    public var reason: String
    /// Whether a server can never listen there.
    public var isHopeless: Bool
    /// Whether nothing exists at that path.
    public var isAbsent: Bool
    /// Whether `path` is the program of a private server instead of a socket.
    public var isProgram: Bool
    /// Whether it was not used because another user could have made it; it counts as absent then.
    public var isForeign: Bool

    /// Makes an attempt.
    public init(
      path: String, reason: String, isHopeless: Bool = false, isAbsent: Bool = false, isProgram: Bool = false,
      isForeign: Bool = false
    ) {
      self.path = path
      self.reason = reason
      self.isHopeless = isHopeless
      self.isAbsent = isAbsent
      self.isProgram = isProgram
      self.isForeign = isForeign
    }
  }

  /// One side of a connection.
  public struct Endpoint: Equatable, Sendable {
    /// Name and version, such as `citiesd 0.1.0`.
    public var name: String
    /// The protocol versions that it supports.
    public var protocols: [UInt64]

    /// Makes an endpoint.
    public init(name: String, protocols: [UInt64]) {
      self.name = name
      self.protocols = protocols
    }
  }
}

extension ClientError: CustomStringConvertible {
  /// One English sentence: what, where and what to do.
  public var description: String {
    switch self {
    case .noServer(let tried):
      "no server: \(tried.map { "\($0.path): \($0.reason)" }.joined(separator: "; ")). \(Self.howToStart(tried))"
    case .permissionDenied(let path):
      "\(path): permission denied; ask for access to that socket or name another with --socket"
    case .timedOut(let path, let after):
      "\(path): no answer within \(after.text); the server hangs or is still starting (--timeout waits longer)"
    case .protocolMismatch(let client, let server):
      "\(client.text) and \(server.text) have no protocol version in common; \(Self.remedy(client, server))"
    case .server(let error):
      error.message
    case .connectionLost(let path, let reason):
      "\(path): the connection was lost (\(reason)) and could not be restored"
    case .unreadableReply(let path, let reason):
      "\(path): invalid reply: \(reason); does citiesd of this version listen there?"
    case .unsendable(let reason):
      "the request cannot be sent: \(reason)"
    }
  }

  /// The error in a few words, without advice.
  public var shortReason: String {
    switch self {
    case .connectionLost: "the connection was lost"
    case .noServer: "there is no server"
    case .timedOut: "the server does not answer"
    default: description
    }
  }

  private static func howToStart(_ tried: [Attempt]) -> String {
    if tried.last?.isHopeless ?? false {
      return "Name the server's socket with --socket or \(SocketLocation.variable)"
    }
    return """
      Start the system's server with 'sudo systemctl start citiesd.socket', your own with \
      'systemctl --user start citiesd.socket', or run 'citiesd' in another terminal
      """
  }

  private static func remedy(_ client: Endpoint, _ server: Endpoint) -> String {
    (server.protocols.max() ?? 0) < (client.protocols.max() ?? 0)
      ? "the server is the older one: upgrade it, then restart it with 'systemctl restart citiesd'"
      : "the client is the older one: upgrade it, or start the one that belongs to the server"
  }
}

extension ClientError.Endpoint {
  fileprivate var text: String { "\(name) (protocol \(protocols.map(String.init).joined(separator: ", ")))" }
}

extension Duration {
  /// `2 s` or `200 ms`, for messages.
  fileprivate var text: String {
    let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
  }
}
