internal import CBOR
import CBORTools
internal import CitiesClient
internal import CitiesProtocol

/// `call METHOD [JSON]`: sends any request, including those without a command of their own.
struct CallVerb: Verb {
  static let command = CommandText(
    "call", usage: "[<options>] <method> [<json>]\n[<options>] --lines < requests",
    abstract: "Send any request and print the reply as JSON.",
    discussion: """
      The parameters are a JSON object; 'citiesctl introspect' prints the parameters and results of each method. In \
      a result, byte strings are base64url text and decimal fractions are text (RFC 8949, section 6.1). With \
      --trace, the frames are printed on standard error: in hexadecimal digits with a comment for each item, and in \
      the diagnostic notation of RFC 8949.

      With --lines, each line of standard input is a request, {"method": …, "params": {…}}, and the parameters may be \
      left out. Each line of standard output is the reply to the next of them: {seq, result} or {seq, error}, where \
      seq counts the lines from 1. All requests share one connection. The exit status is 4 if some have an error, and \
      that of the last error if all have one.

        # Find two cities whose titles start with "alb"
        citiesctl call city.search '{"prefix": "alb", "limit": 2}'
        # Show the bytes of request and reply
        citiesctl call status --trace
        # Send several requests over one connection
        printf '{"method": "%s"}\\n' status rate.list | citiesctl call --lines
      """)

  private var method: String?
  private var parameters: String?
  private var trace = false
  private var lines = false
  var connection = ConnectionOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    method = table.argument(
      "method", "The name of the method.", completion: .choices { MessageRegistry.public.map { $0.method } })
    parameters = table.argument("json", "The parameters, as a JSON object.")
    trace = table.flag("--trace", "Print the frames on standard error, with comments.")
    lines = table.flag("--lines", "Read requests from standard input, one per line.")
  }

  /// Rejects a missing request, and requests from both sources.
  func validate() throws {
    if method == nil, !lines { throw ValidationError("missing argument: '<method>'") }
    if method != nil, lines { throw ValidationError("with --lines, the methods are in the lines") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    if trace { context.client().onFrame = { context.diagnostics.trace($0, $1) } }
    guard let method else { return try answerLines(in: context) }
    let result = try call(method, Self.params(parameters ?? "{}"), in: context)
    context.output.bytes.appendJSON(result)
    context.output.write("\n")
    return .found
  }

  private func call(_ method: String, _ params: CBORValue, in context: Context) throws(CommandFailure) -> CBORValue {
    // `refresh` sends nothing while it works, for up to 20 s.
    let patience = method == Refresh.method ? max(connection.timeout, RefreshVerb.patience) : nil
    do {
      return try context.ask { (client) throws(ClientError) in
        try client.call(method: method, params: params, timeout: patience)
      }
    } catch {
      var failure = CommandFailure(ofProtocol: error)
      // The user typed the method, so different versions of the programs are not the cause.
      if failure.code == ErrorCode.unknownMethod.rawValue { failure.status = .usage }
      throw failure
    }
  }

  /// Answers each line of standard input before reading the next.
  private func answerLines(in context: Context) throws -> ExitStatus {
    var writer = AnswerWriter(isJSON: true, output: context.output)
    var reader = LineReader(descriptor: context.input, maximum: Frame.maximumRequest)
    var sequence = 0
    while let line = try reader.next() {
      sequence += 1
      let result: CBORValue
      do {
        let (method, params) = try Self.request(line)
        result = try call(method, params, in: context)
      } catch {
        try writer.error(sequence, error)
        continue
      }
      try writer.answer(sequence, result)
    }
    return writer.status()
  }

  /// The request in a line.
  private static func request(_ line: LineReader.Line) throws(CommandFailure) -> (method: String, params: CBORValue) {
    // The object around the parameters is nested as deeply as the request's own map.
    let limits = CBORLimits(depth: Frame.maximumDepth, items: Frame.maximumRequestItems)
    let text = try line.get()
    let request = try? CBORValue(json: text, limits: limits)
    let params = request?["params"] ?? .map([])
    guard case .text(let method)? = request?["method"], case .map = params else {
      throw CommandFailure(
        .badData, code: "bad-data", "a line must be a JSON object, such as {\"method\": \"status\", \"params\": {}}")
    }
    return (method, params)
  }

  /// The server's limits, minus the request's own map around the parameters.
  private static let parameterLimits = CBORLimits(depth: Frame.maximumDepth - 1, items: Frame.maximumRequestItems)

  /// The parameters, which must be an object.
  static func params(_ json: String) throws(CommandFailure) -> CBORValue {
    let value: CBORValue
    do {
      value = try CBORValue(json: json, limits: parameterLimits)
    } catch {
      throw CommandFailure(.badData, code: "bad-data", "the parameters are not valid JSON: \(error)")
    }
    guard case .map = value else {
      throw CommandFailure(
        .badData, code: "bad-data", "the parameters must be a JSON object, such as {\"prefix\": \"a\"}")
    }
    return value
  }
}

/// `introspect`: the schema and the methods of the server.
struct IntrospectVerb: RowVerb {
  static let command = CommandText(
    "introspect", usage: "[<options>]",
    abstract: "Print the schema of the protocol.",
    discussion: """
      The schema is in CDDL (RFC 8610), byte for byte the file that the server was built with. With --methods, the \
      methods that this socket answers are listed, for 'citiesctl call'.

        # List the methods
        citiesctl introspect --methods
      """)

  static let columns = [ListingColumn<String>("method") { .text($0) }]

  var methods = false
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    methods = table.flag("--methods", "List the methods instead of the schema.")
  }

  /// Rejects formats that do not apply to the schema.
  func validate() throws {
    let isPlain = rendering.output == nil || rendering.output == .json
    if !methods && !(isPlain && rendering.columns.isEmpty && !rendering.endsRowsWithNUL) {
      throw ValidationError("the schema is text, or json with --output json; other formats are for --methods")
    }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let reply = try context.send(Introspect())
    if methods {
      try write(reply.methods, in: context)
    } else if rendering.output == .json {
      try context.output.writeJSON(reply)
    } else {
      context.output.write(context.output.isTerminal ? visibleLines(reply.schema) : reply.schema)
    }
    return .found
  }
}
