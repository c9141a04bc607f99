import CBOR
import CitiesProtocol
import Glibc
import Synchronization
import TestSupport

@testable import CitiesBulkCommands
@testable import CitiesCommands

/// What a filter has written, and how it ended.
struct FilterOutcome: Equatable {
  var status: CitiesCommands.ExitStatus
  var output: String
  var errors: String
}

/// Runs a filter in this process, with `input` as its standard input.
///
/// - Throws: `RepositoryError` for a file that cannot be used.
func runFilter(_ words: [String], _ input: some Sequence<UInt8>) throws -> FilterOutcome {
  let folder = try TemporaryFolder()
  let source = open(try folder.write("in", input), O_RDONLY | O_CLOEXEC)
  defer { close(source) }
  return try runFilter(words, from: source)
}

/// The same with a descriptor as its standard input.
func runFilter(_ words: [String], from source: Int32) throws -> FilterOutcome {
  let folder = try TemporaryFolder()
  let files = ["out", "err"].map { open(folder.path($0), O_CREAT | O_RDWR | O_CLOEXEC, 0o600) }
  defer { for descriptor in files { close(descriptor) } }
  let context = Context(
    output: OutputStream(descriptor: files[0]), diagnostics: Diagnostics(descriptor: files[1]), input: source,
    environment: { _ in nil })
  let status = run(words, in: context) { try performInHelper($0, in: $1, filterInput) }
  return FilterOutcome(
    status: status, output: try Repository.text(folder.path("out")), errors: try Repository.text(folder.path("err")))
}

/// Options with a timeout for a busy machine, unless they have one.
func patient(_ words: [String]) -> [String] { words.contains("--timeout") ? words : ["--timeout", "60"] + words }

/// A server that names a city by the tens of degrees of its latitude, and fails as a test says.
struct TensServer {
  /// What it does about a request.
  enum Reaction: Sendable {
    case answer(generation: String = "00000000000000aa", lost: Int = 0)
    /// It answers, and closes the connection with it.
    case lastAnswer
    case error(WireError)
    case close
  }

  private struct Envelope: Codable {
    struct Params: Codable { var id: UInt64, method: String, params: CityLocate }
  }

  let server: FakeServer

  /// Serves until ``FakeServer/stop()``.
  init(
    path: String? = nil, _ reaction: @escaping @Sendable (FakeServer.Request) -> Reaction = { _ in .answer() }
  ) throws {
    server = try FakeServer(path: path) { request in
      guard let asked = try? CBORDecoder().decode(Envelope.Params.self, from: request.payload) else { return [.close] }
      var envelope: ServerEnvelope<CityLocate>
      let reaction = reaction(request)
      var end: [FakeServer.Step] = []
      switch reaction {
      case .close: return [.close]
      case .lastAnswer:
        envelope = ServerEnvelope<CityLocate>(
          id: asked.id, result: Self.reply(to: asked.params, "00000000000000aa", 0))
        end = [.close]
      case .error(let error): envelope = ServerEnvelope<CityLocate>(id: asked.id, error: error)
      case .answer(let generation, let lost):
        envelope = ServerEnvelope<CityLocate>(id: asked.id, result: Self.reply(to: asked.params, generation, lost))
      }
      return (try? CBOREncoder().encode(envelope)).map { [.send(Frame.framed($0))] + end } ?? [.close]
    }
  }

  /// The reply without its last `lost` positions.
  private static func reply(to asked: CityLocate, _ generation: String, _ lost: Int) -> CityLocate.Reply {
    let index = zip(asked.lat.numbers, asked.lon.numbers).dropLast(lost).map { lat, lon in
      abs(lat) <= 90 && abs(lon) <= 180 ? UInt32(lat / 10) : CityLocate.nothing
    }
    let cities = (0...9).map { CityRow(id: $0 + 100, lat: 0, lon: 0, name: "C\($0)", country: "EE") }
    var reply = CityLocate.Reply(
      ids: index.map { $0 == CityLocate.nothing ? 0 : UInt64($0) + 100 }, metres: index, rows: cities, index: index,
      generation: generation)
    // Only the north is on land.
    reply.countries = TextLines(index.map { $0 > 4 && $0 < 10 ? "EE" : "" })
    reply.certain = TypedArray(index.map { $0 % 2 == 0 ? 1 : 0 })
    return reply
  }

  /// Rows of a table, and those rows as the filter writes them.
  static func table(_ count: Int) -> (input: String, rows: [String]) {
    let latitudes = (0..<count).map { $0 % 90 }
    return (
      latitudes.map { "\($0)\t1\n" }.joined(),
      latitudes.map { "\($0)\t1\t10\($0 / 10)\tC\($0 / 10), EE\t\($0 / 10)\n" }
    )
  }
}

/// A value that several threads of a test use.
final class SharedValue<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  init(_ value: Value) { storage = Mutex(value) }

  /// Changes the value, and returns what it was before.
  @discardableResult
  func change(_ body: (Value) -> Value) -> Value {
    storage.withLock { value in
      defer { value = body(value) }
      return value
    }
  }

  var value: Value { storage.withLock { $0 } }
}
