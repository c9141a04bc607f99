/// `hello`: identifies both sides and negotiates a version.
///
/// Optional; it may be pipelined with the first request. Without a common version it fails with `invalid-params`, whose
/// `data.protocols` are the server's versions.
public struct Hello: RequestMessage {
  /// The method's name.
  public static let method = "hello"
  /// The versions the client speaks.
  public var protocols: [UInt64]
  /// The client's name and version, such as `citiesctl 0.1.0`.
  public var client: String

  /// Offers all versions that this build knows, by default.
  public init(protocols: [UInt64] = ProtocolVersion.supported, client: String) {
    self.protocols = protocols
    self.client = client
  }

  /// The server and its data.
  public struct Reply: Codable, Equatable, Sendable {
    /// The highest version that both speak.
    public var `protocol`: UInt64
    /// The server's name and version, such as `citiesd 0.1.0`.
    public var server: String
    /// For each subject: whether it has data.
    public var ready: [String: Bool]
    /// For each subject with data: its generation, 16 hexadecimal digits.
    public var generations: [String: String]
    /// Limits by name, in bytes or counts.
    public var limits: [String: UInt64]

    /// Makes a reply.
    public init(
      protocol: UInt64, server: String, ready: [String: Bool], generations: [String: String], limits: [String: UInt64]
    ) {
      self.protocol = `protocol`
      self.server = server
      self.ready = ready
      self.generations = generations
      self.limits = limits
    }
  }
}
