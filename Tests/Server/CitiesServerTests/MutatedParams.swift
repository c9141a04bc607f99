import CBOR
import TestSupport
import Testing

/// Expects that two readers take the same from mutated parameters, or both refuse them.
func expectSame<Asked: Equatable>(
  _ part: Mutations, _ corpus: [[UInt8]], _ inPlace: ([UInt8]) -> Asked?, _ asMessage: ([UInt8]) -> Asked?
) throws {
  try part.run { mutator in
    let mutated = mutator.mutated(mutator.pick(corpus), donor: mutator.pick(corpus))
    let found = inPlace(mutated)
    // The service hands out parameters in deterministic order only; the reader must live through others, too.
    guard let bytes = try? canonicalized(mutated) else { return }
    let expected = asMessage(bytes)
    if inPlace(bytes) != expected { Issue.record("read otherwise: \(bytes)") }
    if bytes == mutated && found != expected { Issue.record("read otherwise the second time: \(bytes)") }
  }
}
