import CBOR
import Testing

@testable import CitiesServer

@Suite("words of keys")
struct KeyWordTests {
  @Test(
    arguments: [
      ("at", KeyWord.at), ("lat", KeyWord.lat), ("lon", KeyWord.lon), ("near", KeyWord.near), ("rule", KeyWord.rule),
      ("sort", KeyWord.sort), ("with", KeyWord.with), ("limit", KeyWord.limit), ("match", KeyWord.match),
      ("place", KeyWord.place), ("query", KeyWord.query), ("typos", KeyWord.typos), ("offset", KeyWord.offset),
      ("prefix", KeyWord.prefix), ("radius", KeyWord.radius), ("region", KeyWord.region),
      ("country", KeyWord.country), ("generation", KeyWord.generation), ("provenance", KeyWord.provenance),
    ] as [(String, UInt64)])
  func `a word is the start of its key's encoding`(key: String, word: UInt64) {
    var writer = CBORWriter()
    writer.writeText(key)
    #expect((writer.bytes + [UInt8](repeating: 0, count: 7)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) } == word)
  }
}
