/// `introspect`: the server's schema and methods, in machine-readable form.
public struct Introspect: RequestMessage {
  /// The method's name.
  public static let method = "introspect"
  /// Makes the request.
  public init() {}

  /// The schema and the methods.
  public struct Reply: Codable, Equatable, Sendable {
    /// The file `cities.cddl` (RFC 8610), byte for byte.
    public var schema: String
    /// The methods that this socket answers.
    public var methods: [String]
    /// The versions the server speaks.
    public var protocols: [UInt64]
    /// The server's name and version.
    public var server: String

    /// Makes a reply.
    public init(schema: String, methods: [String], protocols: [UInt64], server: String) {
      self.schema = schema
      self.methods = methods
      self.protocols = protocols
      self.server = server
    }
  }
}
