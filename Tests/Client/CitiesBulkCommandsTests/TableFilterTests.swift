import CBOR
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

/// What a filter does while its server fails.
@Suite struct TableFilterTests {
  /// Rows of some batches.
  private let table = TensServer.table(30_000)

  private func locate(
    _ words: [String] = [], _ reaction: @escaping @Sendable (FakeServer.Request) -> TensServer.Reaction
  ) throws -> FilterOutcome {
    let server = try TensServer(reaction).server
    defer { server.stop() }
    return try runFilter(["locate", "--socket", server.path] + patient(words), table.input.utf8)
  }

  /// The result of a filter whose server closes every connection; on a busy machine the timeout may come before that.
  private func endOfConnection(_ run: () throws -> FilterOutcome) throws -> FilterOutcome {
    var result = try run()
    for _ in 0..<9 where result.status == .notReady { result = try run() }
    return result
  }

  @Test(arguments: [1, 2, 5]) func `a lost connection loses and repeats nothing`(losses: Int) throws {
    let result = try locate { $0.connection < losses && $0.number == 2 ? .close : .answer() }
    #expect(result == FilterOutcome(status: .found, output: table.rows.joined(), errors: ""))
  }

  @Test func `a server that stays away ends the filter after the rows that it answered`() throws {
    let result = try endOfConnection {
      try locate(["--wait", "0", "--timeout", "0.2"]) { $0.connection > 0 || $0.number == 3 ? .close : .answer() }
    }
    #expect(result.status == .unavailable)
    #expect(result.output == table.rows[..<12_000].joined())
    #expect(result.errors.contains("the connection was lost"))
  }

  @Test func `lines that were answered are written before the server is given up`() throws {
    struct Asked: Decodable { var id: UInt64, params: CityNear }
    let answer: @Sendable (FakeServer.Request) -> [FakeServer.Step] = { request in
      guard request.connection == 0, request.number < 100,
        let asked = try? CBORDecoder().decode(Asked.self, from: request.payload)
      else { return [.close] }
      let reply = CityNear.Reply(
        rows: [], origin: asked.params.place.at ?? Position(lat: 0, lon: 0), generation: "00000000000000aa")
      let envelope = ServerEnvelope<CityNear>(id: asked.id, result: reply)
      return (try? CBOREncoder().encode(envelope)).map { [.send(Frame.framed($0))] } ?? [.close]
    }
    let lines = (0..<200).map { "\($0 % 90),1" }
    let result = try endOfConnection {
      let server = try FakeServer(answer)
      defer { server.stop() }
      return try runFilter(
        ["near", "--socket", server.path, "--wait", "0", "--timeout", "0.2", "-"],
        lines.map { "\($0)\n" }.joined().utf8)
    }
    #expect(result.status == .unavailable && result.errors.contains("the connection was lost"))
    #expect(
      result.output == lines.prefix(100).enumerated().map { "#\($0.offset + 1)\t0\t-\t\($0.element)\n\n" }.joined())
  }

  @Test func `other data is not mixed in unless the user accepts it`() throws {
    let reaction: @Sendable (FakeServer.Request) -> TensServer.Reaction = { request in
      if request.connection == 0 { return request.number < 2 ? .answer() : .close }
      return .answer(generation: "00000000000000bb")
    }
    let result = try locate([], reaction)
    #expect(result.status == .notReady)
    #expect(result.output == table.rows[..<8_000].joined())
    #expect(
      result.errors.contains("changed after row 8000, the last one written; start again, or use --accept-changes"))
    let accepted = try locate(["--accept-changes"], reaction)
    #expect(accepted.status == .found && accepted.output == table.rows.joined())
    #expect(accepted.errors.contains("rows from 8001 on come from the new data"))
  }

  @Test(arguments: [ErrorCode.busy, .unavailable])
  func `a server that is not ready is asked again`(code: ErrorCode) throws {
    let refusals = SharedValue(3)
    let result = try locate { request in
      let isRefused = request.number == 1 && refusals.change { $0 - 1 } > 0
      return isRefused ? .error(WireError(code, "not now")) : .answer()
    }
    #expect(result == FilterOutcome(status: .found, output: table.rows.joined(), errors: ""))
  }

  @Test func `an error ends the filter after the rows before it`() throws {
    let result = try locate {
      $0.connection > 0 || $0.number == 2 ? .error(WireError(.invalidParams, "no")) : .answer()
    }
    #expect(result == FilterOutcome(status: .usage, output: table.rows[..<8_000].joined(), errors: "citiesctl: no\n"))
  }

  @Test(arguments: [0, 1]) func `a row that is too long ends the filter after the rows before it`(excess: Int) throws {
    let server = try TensServer().server
    defer { server.stop() }
    let row = "20\t1\t" + String(repeating: "x", count: TableReader.maximumRowBytes + excess - 6)
    let result = try runFilter(
      ["locate", "--socket", server.path, "--lat", "a", "--lon", "b"], "a\tb\tc\n10\t1\t\n\(row)\n30\t1\t\n".utf8)
    let start = "a\tb\tc\tid\ttitle\tdistance\n10\t1\t\t101\tC1, EE\t1\n"
    let rest = "\(row)\t102\tC2, EE\t2\n30\t1\t\t103\tC3, EE\t3\n"
    let expected =
      excess == 0
      ? FilterOutcome(status: .found, output: start + rest, errors: "")
      : FilterOutcome(status: .badData, output: start, errors: "citiesctl: row 3 has more than 1048576 bytes\n")
    #expect(result == expected)
  }

  @Test func `a reply of another length is refused before its rows`() throws {
    let result = try locate { $0.number == 1 ? .answer(lost: 1) : .answer() }
    #expect(result.status == .protocolMismatch)
    #expect(result.output == table.rows[..<4_000].joined())
  }

  @Test func `a row that comes alone is answered before the next`() throws {
    let server = try TensServer().server
    defer { server.stop() }
    var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
    #expect(pipe(&input) == 0 && pipe(&output) == 0)
    let (source, target, path) = (input[0], output[1], server.path)
    let status = SharedValue<CitiesCommands.ExitStatus?>(nil)
    spawn {
      let context = Context(output: OutputStream(descriptor: target), input: source, environment: { _ in nil })
      let ended = run(["locate", "--socket", path], in: context) { try performInHelper($0, in: $1, filterInput) }
      status.change { _ in ended }
      close(target)
    }
    for row in table.rows[..<3] {
      let columns = row.split(separator: "\t")
      #expect(writeText("\(columns[0])\t\(columns[1])\n", to: input[1]))
      #expect(readText(output[0], row.utf8.count) == row)
    }
    close(input[1])
    #expect(readText(output[0], 1).isEmpty)
    for descriptor in [input[0], output[0]] { close(descriptor) }
    #expect(status.value == .found)
  }

  private func writeText(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return write(descriptor, bytes, bytes.count) == bytes.count
  }

  private func readText(_ descriptor: Int32, _ count: Int) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    var end = 0
    while end < count {
      let received = bytes[end...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      guard received > 0 else { break }
      end += received
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  @Test func `progress says how much of a file is done`() {
    #expect(
      ProgressLine.text(rows: 1_250_000, bytesRead: 40, of: 93, after: .seconds(2))
        == "1250000 rows, 625000 per second, 43 %")
    #expect(
      ProgressLine.text(rows: 7, bytesRead: 40, of: 0, after: .seconds(2)) == "7 rows, 3 per second")
  }
}
