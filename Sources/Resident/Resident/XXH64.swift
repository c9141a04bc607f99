/// XXH64 with seed 0: a 64-bit hash for telling contents apart, at memory speed.
///
/// It identifies the content of a file (its generation) and the source of a file. Two contents share a hash by accident
/// once in 2⁶⁴. It does not resist attacks, and need not: an attacker who can write the source can write the cities as
/// well.
///
/// Source: Y. Collet, "xxHash fast digest algorithm", specification version 0.2.0, section "XXH64".
package struct XXH64: Sendable {
  /// Bytes of one step of the four lanes.
  private static let stripe = 32

  private var lanes: SIMD4<UInt64> = [Prime.first &+ Prime.second, Prime.second, 0, 0 &- Prime.first]
  private var pending: [UInt8] = []
  private var total: UInt64 = 0

  /// A hash of no bytes.
  package init() { pending.reserveCapacity(Self.stripe) }

  /// The hash of `bytes`.
  ///
  /// - Complexity: O(count of `bytes`).
  package static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = XXH64()
    hash.update(bytes)
    return hash.value
  }

  /// Adds `bytes` at the end; the division into pieces does not matter.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    total &+= UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let fill = rest.prefix(Self.stripe - pending.count)
      pending.append(contentsOf: fill)
      rest = rest.dropFirst(fill.count)
      guard pending.count == Self.stripe else { return }
      pending.withUnsafeBytes { Self.consume($0, into: &lanes) }
      pending.removeAll(keepingCapacity: true)
    }
    let whole = rest.count - rest.count % Self.stripe
    Self.consume(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)), into: &lanes)
    pending.append(contentsOf: rest.dropFirst(whole))
  }

  /// The hash of all bytes so far.
  package var value: UInt64 {
    var hash = (total < UInt64(Self.stripe) ? Prime.fifth : Self.merged(lanes)) &+ total
    pending.withUnsafeBytes { hash = Self.tail(hash, $0) }
    hash = (hash ^ hash >> 33) &* Prime.second
    hash = (hash ^ hash >> 29) &* Prime.third
    return hash ^ hash >> 32
  }

  /// Step 2: whole stripes go into the four lanes.
  private static func consume(_ stripes: UnsafeRawBufferPointer, into lanes: inout SIMD4<UInt64>) {
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    for offset in stride(from: 0, to: stripes.count, by: stripe) {
      a = round(a, stripes.load(littleEndian: UInt64.self, at: offset))
      b = round(b, stripes.load(littleEndian: UInt64.self, at: offset + 8))
      c = round(c, stripes.load(littleEndian: UInt64.self, at: offset + 16))
      d = round(d, stripes.load(littleEndian: UInt64.self, at: offset + 24))
    }
    lanes = [a, b, c, d]
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    (lane &+ word &* Prime.second).rotated(31) &* Prime.first
  }

  /// Step 3: the four lanes become one.
  private static func merged(_ lanes: SIMD4<UInt64>) -> UInt64 {
    let sum = lanes[0].rotated(1) &+ lanes[1].rotated(7) &+ lanes[2].rotated(12) &+ lanes[3].rotated(18)
    return lanes.indices.reduce(sum) { ($0 ^ round(0, lanes[$1])) &* Prime.first &+ Prime.fourth }
  }

  /// Step 5: the bytes after the last whole stripe, by eights, a four and ones.
  private static func tail(_ start: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var (hash, offset) = (start, 0)
    while offset + 8 <= bytes.count {
      hash =
        (hash ^ round(0, bytes.load(littleEndian: UInt64.self, at: offset))).rotated(27) &* Prime.first &+ Prime.fourth
      offset += 8
    }
    if offset + 4 <= bytes.count {
      let half = UInt64(bytes.load(littleEndian: UInt32.self, at: offset))
      hash = (hash ^ half &* Prime.first).rotated(23) &* Prime.second &+ Prime.third
      offset += 4
    }
    return bytes[offset...].reduce(hash) { ($0 ^ UInt64($1) &* Prime.fifth).rotated(11) &* Prime.first }
  }

  private enum Prime {
    static let first: UInt64 = 0x9E37_79B1_85EB_CA87
    static let second: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    static let third: UInt64 = 0x1656_67B1_9E37_79F9
    static let fourth: UInt64 = 0x85EB_CA77_C2B2_AE63
    static let fifth: UInt64 = 0x27D4_EB2F_1656_67C5
  }
}

extension UInt64 {
  fileprivate func rotated(_ bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
