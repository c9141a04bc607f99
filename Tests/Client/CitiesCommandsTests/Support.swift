import CBOR
import CitiesProtocol
import Glibc
import Synchronization
import TestSupport

@testable import CitiesCommands

/// A city for tests.
func city(
  _ id: UInt64, _ name: String, _ country: String = "US", lat: Double = 1.5, lon: Double = -2, population: UInt64? = nil
) -> CityRow {
  CityRow(id: id, lat: lat, lon: lon, name: name, country: country, population: population)
}

/// A page with `rows`.
func page(_ rows: [CityRow], total: UInt64? = nil, generation: String = "00000000000000aa") -> CitySearch.Reply {
  .init(rows: rows, total: total ?? UInt64(rows.count), common: "", generation: generation)
}

/// The frame of an envelope.
func frame(_ envelope: some Encodable) -> [UInt8] {
  do { return Frame.framed(try CBOREncoder().encode(envelope)) } catch { preconditionFailure("\(error)") }
}

extension FakeServer.Request {
  private struct Head: Decodable {
    var id: UInt64
    var method: String
  }

  private struct Body<Message: Decodable>: Decodable { var params: Message }

  private var head: Head { (try? CBORDecoder().decode(Head.self, from: payload)) ?? Head(id: 0, method: "unreadable") }

  /// The method that is asked for.
  var method: String { head.method }

  /// The parameters, if they are such.
  func params<Message: RequestMessage>(_ type: Message.Type) -> Message? {
    method == Message.method ? try? CBORDecoder().decode(Body<Message>.self, from: payload).params : nil
  }

  /// A successful reply to this request.
  func reply<Message: RequestMessage>(_ type: Message.Type, _ result: Message.Reply) -> FakeServer.Step {
    .send(frame(ServerEnvelope<Message>(id: head.id, result: result)))
  }

  /// An event after a `watch`.
  func event(_ event: Watch.Event) -> FakeServer.Step { .send(frame(ServerEnvelope<Watch>(id: head.id, event: event))) }

  /// An error in reply to this request.
  func failure(_ code: ErrorCode, _ message: String = "as asked", data: ErrorData? = nil) -> FakeServer.Step {
    .send(frame(ServerEnvelope<Status>(id: head.id, error: WireError(code, message, data: data))))
  }
}

/// The status and output of a command.
struct Outcome: Equatable {
  var status: ExitStatus
  var output: String
  var errors: String
}

/// Runs `citiesctl WORDS` with its streams in files.
func outcome(
  _ words: [String], server: FakeServer? = nil, input: String = "", environment: [String: String] = [:]
) throws -> Outcome {
  let folder = try TemporaryFolder()
  let files = ["out", "err"].map { open(folder.path($0), O_CREAT | O_RDWR | O_CLOEXEC, 0o600) }
  let source = open(try folder.write("in", input.utf8), O_RDONLY | O_CLOEXEC)
  defer { for descriptor in files + [source] { close(descriptor) } }
  let context = Context(
    output: OutputStream(descriptor: files[0]), diagnostics: Diagnostics(descriptor: files[1]), input: source,
    environment: { environment[$0] })
  var words = words
  // After the verb's name, which for a subject's verbs is the second word.
  let isGrouped = ["bank", "product", "rate"].contains(words.first)
  if let server {
    let limit = words.contains("--timeout") ? [] : ["--timeout", "60"]
    words.insert(contentsOf: ["--socket", server.path] + limit, at: isGrouped ? 2 : 1)
  }
  let status = run(words, in: context)
  return Outcome(
    status: status, output: try Repository.text(folder.path("out")), errors: try Repository.text(folder.path("err")))
}

/// Runs a command against a server that answers by `answer`.
func outcome(
  _ words: [String], input: String = "", environment: [String: String] = [:],
  _ answer: @escaping @Sendable (FakeServer.Request) -> [FakeServer.Step]
) throws -> Outcome {
  let server = try FakeServer(answer)
  defer { server.stop() }
  return try outcome(words, server: server, input: input, environment: environment)
}

/// The parameters that reach the server when `citiesctl WORDS` sends a `Message`.
func sent<Message: RequestMessage>(_ type: Message.Type, _ words: [String]) throws -> Message? {
  let seen = Mutex<Message?>(nil)
  _ = try outcome(words) { request in
    if let params = request.params(Message.self) { seen.withLock { $0 = params } }
    return [request.failure(.notFound)]
  }
  return seen.withLock { $0 }
}
