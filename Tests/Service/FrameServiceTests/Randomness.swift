import Glibc

/// A small generator whose numbers are the same in every run (a 64-bit linear congruence, Knuth's constants).
struct SeededRandom {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}

func usleepBriefly(_ microseconds: UInt32) { usleep(microseconds) }
