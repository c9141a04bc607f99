import CBOR
import CitiesProtocol
import TestSupport
import Testing

@Suite struct MutationTests {
  /// Every vector with the coder of its type.
  static let cases = GoldenVector.all.map { vector in
    (
      vector.payload,
      GoldenVectorTests.allCoders.first { vector.name == $0.kind || vector.name.hasPrefix("\($0.kind).") }
        ?? GoldenVectorTests.errorCoder
    )
  }

  /// Larger ones are left out, so that the long schema in the reply of `introspect` does not take all the time.
  static let most = 2_000

  @Test(arguments: Mutations.parts(of: .messages))
  func `mutated message is the same in every encoding or refused`(part: Mutations) throws {
    let cases = Self.cases.filter { $0.0.count <= Self.most }
    try part.run { mutator in
      let (payload, own) = mutator.pick(cases)
      // Now and then as another message: a peer may answer anything.
      let coder = mutator.below(8) == 0 ? mutator.pick(cases).1 : own
      let bytes = mutator.mutated(payload, donor: mutator.pick(cases).0)
      let canonical = try? canonicalized(bytes)
      let message = try? coder.reencode(bytes)
      // Bytes that are not an item are not a message, and a message does not depend on how its sender encodes.
      let other = canonical.flatMap { try? coder.reencode($0) }
      if message != other { Issue.record("\(coder.kind) depends on its encoding: \(bytes)") }
      guard let message else { return }
      if (try? coder.reencode(message)) != message { Issue.record("\(coder.kind) is not stable: \(bytes)") }
    }
  }
}
