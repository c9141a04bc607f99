/// The chances of one seed: the only source of randomness of a simulation.
struct Dice {
  private var state: UInt64

  /// The chances of `seed`.
  ///
  /// The seed is mixed first: the chances of neighbouring seeds would be the same ones, shifted by one.
  init(seed: UInt64) {
    state = seed &+ 0x1234_5678_9ABC_DEF1
    state = next() ^ 0xA076_1D64_78BD_642F
    state = next()
  }

  /// 64 bits (SplitMix64).
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number of `range`.
  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// A time from 0 to `longest`, where each magnitude is as likely as any other.
  mutating func delay(upTo longest: Int64) -> Int64 {
    let bits = 64 - max(1, longest).leadingZeroBitCount
    return Int64(next() & ((1 << UInt64(pick(0...bits))) - 1)) % (longest + 1)
  }

  /// One of `items`.
  mutating func choose<Item>(_ items: [Item]) -> Item { items[pick(0...items.count - 1)] }

  /// True in `chances` of 1,024 cases.
  mutating func hits(_ chances: Int) -> Bool { chances > 0 && pick(0...1_023) < chances }
}
