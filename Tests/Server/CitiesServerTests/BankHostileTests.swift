import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesServer

/// Questions about banks that somebody spoilt are answered, each with one frame, and the server goes on.
@Suite struct BankHostileTests {
  @Test(arguments: ["bank.regions", "bank.list", "bank.search", "bank.get", "bank.near"])
  func `a mutated question gets one answer`(method: String) throws {
    let client = try RunningServer.withBanks().client()
    let vectors = WireVectors.all.filter { $0.name.hasPrefix("\(method).request") }
    #expect(vectors.count >= 2)
    for seed in UInt64(0)..<600 {
      var mutator = Mutator(seed: seed)
      let payload = vectors[mutator.below(vectors.count)].payload
      let spoilt = mutator.below(3) == 0 ? mutator.mutated(payload) : mutator.damaged(payload)
      try client.raw.sendFrame(spoilt)
      let answer = try #require(try client.raw.receiveFrame(), "seed \(seed)")
      let reply = try CBORDecoder().decode(AnyReply.self, from: answer)
      #expect(reply.hasResult || reply.code.map { $0 != "internal" } == true, "seed \(seed): \(reply.code ?? "")")
    }
    #expect(try client.ask(BankRegions()).total == 10)
  }

  /// An answer of which only the kind matters.
  private struct AnyReply: Decodable {
    let hasResult: Bool
    let code: String?

    enum Key: String, CodingKey { case result, error, code }

    init(from decoder: any Decoder) throws {
      let reply = try decoder.container(keyedBy: Key.self)
      hasResult = reply.contains(.result)
      code = try? reply.nestedContainer(keyedBy: Key.self, forKey: .error).decode(String.self, forKey: .code)
    }
  }
}
