internal import ArgumentParser
internal import CBOR
internal import CitiesClient
internal import CitiesProtocol

/// `call METHOD [JSON]`: any method, so that scripts never wait for a verb.
struct Call: Verb {
  static let configuration = CommandConfiguration.verb(
    "call", usage: "[<options>] <method> [<json>]",
    abstract: "Send any method and print the reply as JSON.",
    discussion: """
      The parameters are a JSON object; 'citiesctl introspect' prints what a method takes and gives. --trace prints the \
      frames on standard error, in hexadecimal and in the diagnostic notation of RFC 8949.

        citiesctl call city.search '{"prefix": "alb", "limit": 2}'
        citiesctl call status --trace
      """)

  @Argument(help: "The method's name.", completion: .list(MessageRegistry.public.map { $0.method }))
  var method: String

  @Argument(help: ArgumentHelp("The parameters, a JSON object.", valueName: "json"))
  var parameters: Word?

  @Flag(help: "Print the frames.")
  var trace = false

  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  func perform(in context: Context) throws -> ExitStatus {
    let params = try Self.params(parameters?.text ?? "{}")
    let client = context.client(connection)
    if trace { client.onFrame = { context.diagnostics.trace($0, $1) } }
    do {
      let result = try client.call(method: method, params: params, timeout: patience)
      context.output.bytes.appendJSON(result)
      context.output.write("\n")
      return .found
    } catch {
      var failure = CommandFailure(error)
      // Here the user named the method, so it is no disagreement between the programs.
      if failure.code == ErrorCode.unknownMethod.rawValue { failure.status = .usage }
      throw failure
    }
  }

  /// `refresh` is silent while it works, for 20 s at most.
  private var patience: Duration? {
    method == Refresh.method ? max(connection.timeout, RefreshVerb.patience) : nil
  }

  /// The parameters, which must be an object.
  static func params(_ json: String) throws(CommandFailure) -> CBORValue {
    let value: CBORValue
    do {
      value = try JSONParser.parse(json)
    } catch {
      throw CommandFailure(.badData, code: "bad-data", "the parameters are no JSON: \(error)")
    }
    guard case .map = value else {
      throw CommandFailure(
        .badData, code: "bad-data", "the parameters must be a JSON object, such as {\"prefix\": \"a\"}")
    }
    return value
  }
}
