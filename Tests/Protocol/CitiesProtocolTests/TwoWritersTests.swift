import CBOR
import CitiesProtocol
import TestSupport
import Testing

/// Codable and the keyed writer, by which servers write replies, give the same bytes for random instances of all rules.
@Suite struct TwoWritersTests {
  private static let parts = 4

  @Test(arguments: 0..<parts)
  func `random instance has the same bytes from Codable and from the keyed writer`(part: Int) throws {
    for seed in 0..<Thoroughness.count(250, ofAll: 100_000 / Self.parts) {
      var mutator = Mutator(seed: UInt64(part) << 32 | UInt64(seed))
      let (coder, bytes) = try instance(&mutator)
      var writer = CBORWriter()
      try write(CBORValue(decoding: bytes), into: &writer)
      if writer.bytes != bytes { Issue.record("\(coder.kind) of the seed \(part)/\(seed): \(bytes)") }
    }
  }

  /// A random frame and its bytes from Codable: a golden vector with other values, without some of its optional keys.
  private func instance(_ mutator: inout Mutator) throws -> (coder: GoldenVectorTests.Coder, bytes: [UInt8]) {
    while true {
      let (payload, coder) = mutator.pick(MutationTests.cases)
      guard payload.count <= MutationTests.most else { continue }
      let frame = varied(try CBORValue(decoding: payload), &mutator)
      if let bytes = try? coder.reencode(frame.encoded()) { return (coder, bytes) }
    }
  }

  private func varied(_ value: CBORValue, _ mutator: inout Mutator) -> CBORValue {
    switch value {
    case .map(let pairs):
      return .map(pairs.filter { _ in mutator.below(16) > 0 }.map { ($0.key, varied($0.value, &mutator)) })
    case .array(let elements):
      var others = elements.map { varied($0, &mutator) }
      switch mutator.below(4) {
      case 0: others += elements
      case 1: others = Array(others.dropLast())
      default: break
      }
      return .array(others)
    case .tagged(let tag, let content): return .tagged(tag, varied(content, &mutator))
    case .bytes(let bytes): return .bytes(mutator.below(2) == 0 ? bytes : bytes + bytes)
    case .text(let text) where mutator.below(4) > 0: return .text(text)
    case .text: return .text(String(String(repeating: "Õé日a\0", count: mutator.below(64)).prefix(mutator.below(300))))
    case .bool: return .bool(mutator.below(2) == 0)
    case .double: return .double(Double(Int64(bitPattern: mutator.random.next()) >> Int64(mutator.below(64))) / 256)
    case .unsigned(let number) where mutator.below(2) == 0: return .unsigned(number)
    case .unsigned, .negative: return .unsigned(mutator.random.next() >> UInt64(mutator.below(64)))
    default: return value
    }
  }

  private func write(_ value: CBORValue, into writer: inout CBORWriter) throws(CBORError) {
    switch value {
    case .map(let pairs):
      try writer.writeMap(Name.self) { (map) throws(CBORError) in
        for (key, value) in pairs {
          guard case .text(let name) = key else { continue }
          try map.write(Name(stringValue: name)) { (writer) throws(CBORError) in try write(value, into: &writer) }
        }
      }
    case .array(let elements):
      writer.writeArray(count: elements.count)
      for element in elements { try write(element, into: &writer) }
    default: writer.writeEncoded(try value.encoded())
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
