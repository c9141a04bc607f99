/// Why a request failed: a code for programs, a text for people, data for both.
public struct WireError: Error, Codable, Equatable, Sendable {
  /// The kind of error; open: treat an unknown code as `internal`.
  public var code: ErrorCode
  /// One English sentence: what failed, where, and what to do.
  public var message: String
  /// Data for the code.
  public var data: ErrorData?

  /// Makes an error.
  public init(_ code: ErrorCode, _ message: String, data: ErrorData? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }
}

/// An error's code: an open set of names.
public struct ErrorCode: OpenWord {
  /// The name on the wire.
  public var rawValue: String
  /// Any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The frame is not an acceptable CBOR item, not a request, or not complete in time.
  public static let malformed = ErrorCode(rawValue: "malformed")
  /// A declared length exceeds the limit, and the connection is closed; or a reply would exceed it.
  public static let frameTooLarge = ErrorCode(rawValue: "frame-too-large")
  /// No such method in this server.
  public static let unknownMethod = ErrorCode(rawValue: "unknown-method")
  /// A parameter is missing, has the wrong type or is out of range; `hello` found no common version.
  public static let invalidParams = ErrorCode(rawValue: "invalid-params")
  /// Nothing has that id or title.
  public static let notFound = ErrorCode(rawValue: "not-found")
  /// Several things have that title; `data.candidates` lists them.
  public static let ambiguous = ErrorCode(rawValue: "ambiguous")
  /// No path of rates leads to the currency.
  public static let noConversion = ErrorCode(rawValue: "no-conversion")
  /// The answer would take more work than one request may; `data.limit` names the limit.
  public static let tooExpensive = ErrorCode(rawValue: "too-expensive")
  /// The subject has no data yet; `data` has the subject and its progress.
  public static let unavailable = ErrorCode(rawValue: "unavailable")
  /// The peer's user may not do this.
  public static let permissionDenied = ErrorCode(rawValue: "permission-denied")
  /// The generation asked for is no longer current; `data.generation` is.
  public static let staleGeneration = ErrorCode(rawValue: "stale-generation")
  /// A limit is reached; `data.limit` names it.
  public static let busy = ErrorCode(rawValue: "busy")
  /// A bug in the server.
  public static let `internal` = ErrorCode(rawValue: "internal")
}

extension ErrorData {
  /// The ``phase`` in a private server's reply if only a running server could have or fetch the data.
  public static let noServer = "no server"
  /// The ``phase`` in a private server's reply if the caller may not read the state folder, which may have the data.
  public static let unreadable = "unreadable"
  /// The most names in ``known``.
  public static let maximumKnown = 20
}
