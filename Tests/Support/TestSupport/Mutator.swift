/// Changes bytes as accidents and attackers do: the one mutator of all suites.
///
/// On which changes find most, see M. Zalewski, "Binary fuzzing strategies: what works, what doesn't" (2014): single
/// bits, numbers at the edge of their range, and pieces of valid input in another place.
package struct Mutator {
  /// Where its choices come from; suites draw theirs from it, too.
  package var random: SeededGenerator

  /// A mutator whose choices are those of `seed`.
  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A number from 0 up to `bound`, which is above 0.
  package mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: random.next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// An element of `choices`, which is not empty.
  package mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }

  /// `original` after one to four changes, any of which may make it longer or shorter.
  ///
  /// Pieces that are spliced in come from `donor`, or from the bytes themselves if that is empty.
  /// - Complexity: O(bytes).
  package mutating func mutated(_ original: [UInt8], donor: [UInt8] = []) -> [UInt8] {
    var bytes = original
    for _ in 0...below(4) {
      switch below(8) {
      case 0: insert(into: &bytes)
      case 1: delete(from: &bytes)
      case 2: duplicate(in: &bytes)
      case 3: splice(donor.isEmpty ? original : donor, into: &bytes)
      default: overwrite(&bytes)
      }
    }
    return bytes
  }

  /// `original` after one to four changes that keep the number of bytes.
  ///
  /// - Complexity: O(bytes).
  package mutating func damaged(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0...below(4) { overwrite(&bytes) }
    return bytes
  }

  /// Flips a bit, sets a byte, writes a telling number, or copies a piece over another.
  private mutating func overwrite(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let index = below(bytes.count)
    switch below(6) {
    case 0, 1: bytes[index] ^= 1 << UInt8(below(8))
    case 2: bytes[index] = UInt8(below(256))
    case 3:
      let piece = Array(piece(of: bytes))
      let start = below(bytes.count - piece.count + 1)
      bytes.replaceSubrange(start..<start + piece.count, with: piece)
    default: writeNumber(into: &bytes)
    }
  }

  private mutating func insert(into bytes: inout [UInt8]) {
    bytes.insert(UInt8(below(256)), at: below(bytes.count + 1))
  }

  private mutating func delete(from bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let start = below(bytes.count)
    let most = min(bytes.count - start, 16)
    // One byte is the most telling loss; now and then all the rest goes.
    let length = below(8) == 0 ? bytes.count - start : below(2) == 0 ? 1 : 1 + below(most)
    bytes.removeSubrange(start..<start + length)
  }

  private mutating func duplicate(in bytes: inout [UInt8]) {
    let piece = Array(piece(of: bytes))
    bytes.insert(contentsOf: piece, at: below(bytes.count + 1))
  }

  private mutating func splice(_ donor: [UInt8], into bytes: inout [UInt8]) {
    let piece = piece(of: donor)
    let start = below(bytes.count + 1)
    let end = below(2) == 0 ? start : min(bytes.count, start + piece.count)
    bytes.replaceSubrange(start..<end, with: piece)
  }

  /// Up to 32 bytes in a row.
  private mutating func piece(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    guard !bytes.isEmpty else { return [] }
    let start = below(bytes.count)
    return bytes[start..<start + 1 + below(min(bytes.count - start, 32))]
  }

  /// Writes a number of 1, 2, 4 or 8 bytes in either order, half the time where records would have one.
  private mutating func writeNumber(into bytes: inout [UInt8]) {
    let width = 1 << below(4)
    guard width <= bytes.count else { return }
    let start = below(bytes.count - width + 1)
    let aligned = below(2) == 0 ? start : start / width * width
    let number = tellingNumber(bytes.count)
    let isLittle = below(2) == 0
    for place in 0..<width {
      let shift = UInt64(8 * (isLittle ? place : width - 1 - place))
      bytes[aligned + place] = UInt8(truncatingIfNeeded: number >> shift)
    }
  }

  /// A number at the edge of a width or of what there is, one off, or any.
  private mutating func tellingNumber(_ count: Int) -> UInt64 {
    let edges: [UInt64] = [
      0, 1, 23, 24, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 16, 1 << 30, 1 << 31, 0xFFFF_FFFF, 1 << 32, 1 << 63, .max,
      UInt64(count), UInt64(count / 4),
    ]
    switch below(8) {
    case 0: return random.next() >> UInt64(below(64))
    case 1: return pick(edges) &+ 1
    case 2: return pick(edges) &- 1
    default: return pick(edges)
    }
  }
}
