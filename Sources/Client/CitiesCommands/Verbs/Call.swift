internal import ArgumentParser
import Base
internal import CBOR
import CBORTools
internal import CitiesClient
internal import CitiesProtocol

/// `call METHOD [JSON]`: any method, so that scripts never wait for a verb.
struct Call: Verb {
  static let configuration = CommandConfiguration.verb(
    "call", usage: "[<options>] <method> [<json>]",
    abstract: "Send any method and print the reply as JSON.",
    discussion: """
      The parameters are a JSON object; 'citiesctl introspect' prints what a method takes and gives. In the \
      result byte strings are base64url text and decimal fractions are text (RFC 8949, section 6.1). --trace prints the \
      frames on standard error: in hexadecimal digits, each item annotated, and in the diagnostic notation of RFC 8949.

        citiesctl call city.search '{"prefix": "alb", "limit": 2}'
        citiesctl call status --trace
      """)

  @Argument(help: "The method's name.", completion: .list(MessageRegistry.public.map { $0.method }))
  var method: Word

  @Argument(help: ArgumentHelp("The parameters, a JSON object.", valueName: "json"))
  var parameters: Word?

  @Flag(help: "Print the frames, annotated, on standard error.")
  var trace = false

  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  func perform(in context: Context) throws -> ExitStatus {
    let params = try Self.params(parameters?.text ?? "{}")
    let client = context.client(connection)
    if trace { client.onFrame = { context.diagnostics.trace($0, $1) } }
    do {
      let result = try client.call(method: method.text, params: params, timeout: patience)
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
    method.text == Refresh.method ? max(connection.timeout, RefreshVerb.patience) : nil
  }

  /// What the server takes, but for the request's own map around the parameters.
  private static let parameterLimits = CBORLimits(depth: Frame.maximumDepth - 1, items: Frame.maximumRequestItems)

  /// The parameters, which must be an object.
  static func params(_ json: String) throws(CommandFailure) -> CBORValue {
    let value: CBORValue
    do {
      value = try CBORValue(json: json, limits: parameterLimits)
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
