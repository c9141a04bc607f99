import CBOR
import TestSupport

/// Core deterministic encoding written as plainly as RFC 8949 says it, beside which the fast paths are held.
func referenceEncoding(_ value: CBORValue) -> [UInt8] {
  switch value {
  case .unsigned(let argument): referenceHead(0, argument)
  case .negative(let argument): referenceHead(1, argument)
  case .bytes(let content): referenceHead(2, UInt64(content.count)) + content
  case .text(let text): referenceHead(3, UInt64(text.utf8.count)) + Array(text.utf8)
  case .array(let elements): referenceHead(4, UInt64(elements.count)) + elements.flatMap(referenceEncoding)
  case .map(let pairs):
    referenceHead(5, UInt64(pairs.count))
      + pairs.map { (referenceEncoding($0.key), referenceEncoding($0.value)) }
      .sorted { $0.0.lexicographicallyPrecedes($1.0) }.flatMap { $0.0 + $0.1 }
  case .tagged(let tag, let content): referenceHead(6, tag) + referenceEncoding(content)
  case .bool(let flag): [flag ? 0xf5 : 0xf4]
  case .null: [0xf6]
  case .simple(let number): referenceHead(7, UInt64(number))
  case .double(let number): referenceFloat(number)
  }
}

func referenceHead(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
  let size = argument < 24 ? 0 : argument < 1 << 8 ? 1 : argument < 1 << 16 ? 2 : argument < 1 << 32 ? 4 : 8
  return wideHead(major, argument, size: size)
}

/// A head with an argument of `size` bytes, 0 for none.
func wideHead(_ major: UInt8, _ argument: UInt64, size: Int) -> [UInt8] {
  guard size > 0 else { return [major << 5 | UInt8(argument)] }
  let info: UInt8 = [1: 24, 2: 25, 4: 26, 8: 27][size] ?? 0
  return [major << 5 | info] + (0..<size).reversed().map { UInt8(truncatingIfNeeded: argument >> UInt64(8 * $0)) }
}

private func referenceFloat(_ number: Double) -> [UInt8] {
  let number = number == 0 ? 0 : number
  if let half = Float16(exactly: number) { return wideHead(7, UInt64(half.bitPattern), size: 2) }
  if let single = Float(exactly: number) { return wideHead(7, UInt64(single.bitPattern), size: 4) }
  return wideHead(7, number.bitPattern, size: 8)
}

/// Makes trees, and encodings of them that are well-formed in every way a sender may choose.
struct RandomTrees {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func tree(depth: Int = 4) -> CBORValue {
    switch Int.random(in: 0..<(depth > 0 ? 13 : 10), using: &random) {
    case 0, 1: .unsigned(number())
    case 2: .negative(number())
    case 3: .bytes((0..<length()).map { _ in UInt8.random(in: 0...255, using: &random) })
    case 4, 5: .text(text())
    case 6: .bool(Bool.random(using: &random))
    case 7: .null
    case 8: .double(float())
    case 9: .simple([0, 19, 23, 32, 255].randomElement(using: &random) ?? 0)
    case 10: .array((0..<length()).map { _ in tree(depth: depth - 1) })
    case 11: .map(pairs(depth: depth - 1))
    default: .tagged([0, 1, 4, 5, 24, 55_799].randomElement(using: &random) ?? 0, tree(depth: depth - 1))
    }
  }

  /// An integer whose size is as random as its digits.
  mutating func number() -> UInt64 {
    UInt64.random(in: 0...(.max), using: &random) >> UInt64.random(in: 0..<64, using: &random)
  }

  mutating func length() -> Int { [0, 1, 2, 3, 5, 23, 24, 30].randomElement(using: &random) ?? 0 }

  mutating func text() -> String {
    let scalars: [Unicode.Scalar] = ["a", "b", "z", "ü", "水", "𐅑", " ", "\u{0}", "\u{308}"]
    var text = ""
    for _ in 0..<length() { text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a") }
    return text
  }

  mutating func float() -> Double {
    let doubles = [
      0, 1.5, -4.1, 1e300, Double.leastNonzeroMagnitude, 65_504, 0x1p-24, Double(Float.leastNonzeroMagnitude), 40.42,
    ]
    let bits = Double(bitPattern: UInt64.random(in: 0...(.max), using: &random))
    return Bool.random(using: &random) && bits.isFinite ? bits : doubles.randomElement(using: &random) ?? 0
  }

  private mutating func pairs(depth: Int) -> [(key: CBORValue, value: CBORValue)] {
    var seen = Set<[UInt8]>()
    return (0..<length()).compactMap { _ in
      let key = Int.random(in: 0..<8, using: &random) == 0 ? tree(depth: min(depth, 1)) : .text(text())
      return seen.insert(referenceEncoding(key)).inserted ? (key, tree(depth: depth)) : nil
    }
  }

  /// Another well-formed encoding of `value`: wider heads, indefinite lengths, chunks, keys in any order.
  mutating func otherEncoding(_ value: CBORValue) -> [UInt8] {
    switch value {
    case .unsigned(let argument): return head(0, argument)
    case .negative(let argument): return head(1, argument)
    case .bytes(let content): return string(2, content)
    case .text(let text): return string(3, Array(text.utf8))
    case .array(let elements): return items(4, elements.map { otherEncoding($0) })
    case .map(let pairs):
      return items(5, pairs.shuffled(using: &random).map { otherEncoding($0.key) + otherEncoding($0.value) })
    case .tagged(let tag, let content): return head(6, tag) + otherEncoding(content)
    case .double(let number):
      let single = Float(exactly: number).map { wideHead(7, UInt64($0.bitPattern), size: 4) }
      return Bool.random(using: &random) ? wideHead(7, number.bitPattern, size: 8) : single ?? referenceEncoding(value)
    case .bool, .null, .simple: return referenceEncoding(value)
    }
  }

  private mutating func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
    let sizes = [0, 1, 2, 4, 8].filter { $0 == 8 || argument < ($0 == 0 ? 24 : 1 << UInt64(8 * $0)) }
    return wideHead(major, argument, size: sizes.randomElement(using: &random) ?? 8)
  }

  private mutating func items(_ major: UInt8, _ items: [[UInt8]]) -> [UInt8] {
    if Bool.random(using: &random) { return [major << 5 | 31] + items.flatMap { $0 } + [0xff] }
    return head(major, UInt64(items.count)) + items.flatMap { $0 }
  }

  private mutating func string(_ major: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard Bool.random(using: &random) else { return head(major, UInt64(content.count)) + content }
    // A text may only be cut between scalars.
    let cut = content.indices.filter { major == 2 || content[$0] & 0xc0 != 0x80 }.randomElement(using: &random) ?? 0
    let chunks = [Array(content[..<cut]), Array(content[cut...])]
    return [major << 5 | 31] + chunks.flatMap { head(major, UInt64($0.count)) + $0 } + [0xff]
  }
}
