import CBOR
import CitiesCommands
import CitiesProtocol
import Glibc
import TestSupport

@testable import CitiesMapCommands

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

  /// The parameters, if the request is of that kind.
  func params<Message: RequestMessage>(_ type: Message.Type) -> Message? {
    guard head.method == Message.method else { return nil }
    return try? CBORDecoder().decode(Body<Message>.self, from: payload).params
  }

  /// A successful reply to this request.
  func reply<Message: RequestMessage>(_ type: Message.Type, _ result: Message.Reply) -> FakeServer.Step {
    .send(frame(ServerEnvelope<Message>(id: head.id, result: result)))
  }

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

/// Runs `citiesctl-helper WORDS` with its streams in files, against a server that answers by `answer`.
func outcome(
  _ words: [String], environment: [String: String] = ["LANG": "C.UTF-8"],
  _ answer: @escaping @Sendable (FakeServer.Request) -> [FakeServer.Step] = { [$0.failure(.notFound)] }
) throws -> Outcome {
  let server = try FakeServer(answer)
  defer { server.stop() }
  let folder = try TemporaryFolder()
  let files = ["out", "err"].map { open(folder.path($0), O_CREAT | O_RDWR | O_CLOEXEC, 0o600) }
  defer { for descriptor in files { close(descriptor) } }
  let context = Context(
    output: OutputStream(descriptor: files[0]), diagnostics: Diagnostics(descriptor: files[1]),
    environment: { environment[$0] })
  let status = run(words + ["--socket", server.path, "--timeout", "60"], in: context) {
    try performInHelper($0, in: $1, drawMap)
  }
  return Outcome(
    status: status, output: try Repository.text(folder.path("out")), errors: try Repository.text(folder.path("err")))
}
