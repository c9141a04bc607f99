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
public struct ErrorCode: RawRepresentable, Codable, Hashable, Sendable {
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

/// An error's data for programs; each field belongs to the codes named with it.
public struct ErrorData: Codable, Equatable, Sendable {
  /// The ``phase`` in a private server's reply if only a running server could have or fetch the data.
  public static let noServer = "no server"
  /// The ``phase`` in a private server's reply if the caller may not read the state folder, which may have the data.
  public static let unreadable = "unreadable"

  /// `invalid-params`: the parameter.
  public var param: String?
  /// `invalid-params`: the fault of the parameter, for people; older servers omit this and the next three.
  public var problem: String?
  /// `invalid-params`, `not-found`, `ambiguous`: the start of the name in question, as sent.
  public var value: String?
  /// `invalid-params`: valid names instead of ``value``, nearest first, at most ``maximumKnown``.
  public var known: [String]?
  /// `invalid-params`: the number of valid names.
  public var knownTotal: UInt64?
  /// `unavailable`, `stale-generation`: the subject.
  public var subject: Subject?
  /// `unavailable`: the state of the data, such as `loading`, `downloading`, `no source`, `failed`; open.
  public var phase: String?
  /// `unavailable`: whether data may be on its way, so that it makes sense to retry; absent if the server does not
  /// know.
  public var running: Bool?
  /// `unavailable`: how much of the phase is done, from 0 to 1, if known.
  public var done: Double?
  /// `stale-generation`: the current generation.
  public var generation: String?
  /// `busy`, `frame-too-large`, `too-expensive`, `malformed`: the name of the limit.
  public var limit: String?
  /// `busy`, `frame-too-large`, `too-expensive`, `malformed`: its value.
  public var maximum: UInt64?
  /// `ambiguous`: the cities that share the title, at most 20, in key order; or the largest cities of ``country``.
  public var candidates: [CityRow]?
  /// `ambiguous`: the total number of candidates.
  public var total: UInt64?
  /// `ambiguous`: the code of the country that the query names, if people mean the country by it rather than a city.
  public var country: String?
  /// `malformed`: offset of the offending byte in the payload.
  public var offset: UInt64?
  /// `invalid-params` of `hello`: the server's versions, none of which the client offered.
  public var protocols: [UInt64]?

  /// The most names in ``known``.
  public static let maximumKnown = 20

  /// Names on the wire.
  public enum CodingKeys: String, CodingKey {
    case param, problem, value, known, subject, phase, running, done, generation, limit, maximum, candidates, total
    case country, offset, protocols
    case knownTotal = "known_total"
  }

  /// Makes data with the given fields.
  public init(
    param: String? = nil, problem: String? = nil, value: String? = nil, known: [String]? = nil,
    knownTotal: UInt64? = nil, subject: Subject? = nil, phase: String? = nil, running: Bool? = nil, done: Double? = nil,
    generation: String? = nil, limit: String? = nil, maximum: UInt64? = nil, candidates: [CityRow]? = nil,
    total: UInt64? = nil, country: String? = nil, offset: UInt64? = nil, protocols: [UInt64]? = nil
  ) {
    self.param = param
    self.problem = problem
    self.value = value
    self.known = known
    self.knownTotal = knownTotal
    self.subject = subject
    self.phase = phase
    self.running = running
    self.done = done
    self.generation = generation
    self.limit = limit
    self.maximum = maximum
    self.candidates = candidates
    self.total = total
    self.country = country
    self.offset = offset
    self.protocols = protocols
  }
}
