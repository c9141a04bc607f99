import CBOR
import CitiesClient
import CitiesProtocol
import TestSupport

/// A city for tests.
let alabama = CityRow(id: 7, lat: 32.5, lon: -86.9, name: "Alabama", country: "US")

/// A page with `rows`.
func page(_ rows: [CityRow] = [alabama], total: UInt64 = 1, generation: String = "00000000000000aa") -> CitySearch.Reply
{
  .init(rows: rows, total: total, common: "", generation: generation)
}

extension FakeServer.Request {
  struct Head: Decodable {
    var id: UInt64
    var method: String
  }

  /// The head, or a failing id if a test's client sends none.
  var head: Head { (try? CBORDecoder().decode(Head.self, from: payload)) ?? Head(id: 0, method: "unreadable") }

  /// The parameters of a search.
  var search: CitySearch? {
    struct Body: Decodable { var params: CitySearch }
    return try? CBORDecoder().decode(Body.self, from: payload).params
  }

  /// The frame of a reply to this request.
  func reply(_ result: CitySearch.Reply) -> [UInt8] { frame(ServerEnvelope<CitySearch>(id: head.id, result: result)) }

  /// The frame of an error in reply to this request.
  func failure(_ code: ErrorCode, _ message: String = "as asked", data: ErrorData? = nil) -> [UInt8] {
    frame(ServerEnvelope<CitySearch>(id: head.id, error: WireError(code, message, data: data)))
  }
}

/// The frame of an envelope.
func frame(_ envelope: some Encodable) -> [UInt8] {
  do { return Frame.framed(try CBOREncoder().encode(envelope)) } catch { preconditionFailure("\(error)") }
}

/// A client of `server`; its timeout is for tests that expect an answer on a busy machine.
func client(of server: FakeServer, timeout: Duration = .seconds(30)) -> Client {
  Client(.init(location: SocketLocation(path: server.path), timeout: timeout, name: "test 1"))
}

/// The error that `body` throws.
func clientError(_ body: () throws -> Void) -> ClientError? {
  do { try body() } catch { return error as? ClientError }
  return nil
}
