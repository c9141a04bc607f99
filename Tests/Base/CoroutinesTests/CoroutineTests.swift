import Coroutines
import TestSupport
import Testing

/// Functions that are run in turns.
@Suite struct CoroutineTests {
  /// Counts to `count`, a step at a time, and notes its end.
  private func counting(to count: Int, steps: Int = 1, atEnd: @escaping () -> Void = {}) -> ReturningCoroutine<Int> {
    ReturningCoroutine { budget in
      defer { atEnd() }
      var sum = 0
      for number in 1...count {
        sum += number
        try await budget.check(steps)
      }
      return sum
    }
  }

  @Test func `a turn without end returns the result`() throws {
    #expect(try counting(to: 100_000).resume(until: .max) == 5_000_050_000)
  }

  @Test(arguments: [1, 7, Budget.stepsPerLook, 10_000])
  func `a function goes on where its turn was over`(steps: Int) throws {
    let coroutine = counting(to: 10_000, steps: steps)
    var (turns, result) = (0, Int?.none)
    while result == nil {
      result = try coroutine.resume(until: 0)
      turns += 1
    }
    #expect(result == 50_005_000)
    let looks = steps >= Budget.stepsPerLook ? 10_000 : 10_000 / ((Budget.stepsPerLook + steps - 1) / steps)
    #expect(turns == looks + 1)
  }

  @Test func `the clock is asked once per look`() throws {
    var looks: Int64 = 0
    let coroutine = ReturningCoroutine(
      in: CoroutinePool(clock: {
        looks += 1
        return looks
      })
    ) { budget in
      for _ in 0..<10 * Budget.stepsPerLook { try await budget.check() }
      return true
    }
    #expect(try coroutine.resume(until: 5) == nil && looks == 5)
    #expect(try coroutine.resume(until: .max) == true && looks == 10)
  }

  @Test func `what the function throws comes out`() {
    struct Broken: Error {}
    let coroutine = ReturningCoroutine<Int> { budget in
      try await budget.check(Budget.stepsPerLook)
      throw Broken()
    }
    #expect(throws: Broken.self) {
      #expect(try coroutine.resume(until: 0) == nil)
      _ = try coroutine.resume(until: 0)
    }
  }

  @Test func `a released function ends by an error`() throws {
    var (ends, thrown) = (0, (any Error)?.none)
    do {
      let coroutine = ReturningCoroutine<Int> { budget in
        defer { ends += 1 }
        do {
          while true { try await budget.check() }
        } catch {
          thrown = error
          // It is stopped again if it goes on.
          try await budget.check(Budget.stepsPerLook)
          return 1
        }
      }
      #expect(try coroutine.resume(until: 0) == nil)
      #expect(ends == 0)
    }
    #expect(ends == 1 && thrown is Stopped)
  }

  @Test func `a function that never started is released without a start`() {
    var hasStarted = false
    do {
      _ = ReturningCoroutine<Int> { _ in
        hasStarted = true
        return 1
      }
    }
    #expect(!hasStarted)
  }

  @Test func `functions take turns without mixing`() throws {
    let coroutines = (0..<100).map { counting(to: 3_000 + $0) }
    var results = [Int?](repeating: nil, count: 100)
    while results.contains(nil) {
      for index in results.indices where results[index] == nil {
        results[index] = try coroutines[index].resume(until: 0)
      }
    }
    for (index, result) in results.enumerated() { #expect(result == (3_000 + index) * (3_001 + index) / 2) }
  }

  @Test func `what a function holds is released with it`() throws {
    final class Held {}
    weak var held: Held?
    do {
      let object = Held()
      held = object
      let coroutine = ReturningCoroutine<Int> { budget in
        defer { withExtendedLifetime(object) {} }
        try await budget.check(Budget.stepsPerLook)
        return 1
      }
      _ = try coroutine.resume(until: 0)
      #expect(held != nil)
    }
    #expect(held == nil)
  }

  @Test func `a pool runs one function after the other, and goes on after one that was given up`() throws {
    let pool = CoroutinePool(clock: { 0 })
    for round in 0..<200 {
      let coroutine = ReturningCoroutine(in: pool) { budget in
        for _ in 0..<3 { try await budget.pause() }
        return round
      }
      var result = try coroutine.resume(until: .max)
      // Every other one is released where it waits.
      for _ in 0..<(round % 2 == 0 ? 3 : 1) { result = try coroutine.resume(until: .max) }
      #expect(result == (round % 2 == 0 ? round : nil))
    }
  }

  @Test func `more functions than a pool keeps tasks for wait side by side`() throws {
    let pool = CoroutinePool(clock: { 0 })
    for _ in 0..<3 {
      let coroutines = (0..<200).map { number in
        ReturningCoroutine(in: pool) { budget in
          try await budget.pause()
          return number
        }
      }
      for coroutine in coroutines { #expect(try coroutine.resume(until: .max) == nil) }
      for (number, coroutine) in coroutines.enumerated() { #expect(try coroutine.resume(until: .max) == number) }
    }
  }
}
