package import Coroutines

/// A coroutine whose function returns something.
package final class ReturningCoroutine<Output> {
  private let coroutine: Coroutine
  private let box = Box()

  private final class Box {
    var output: Output?
  }

  /// Prepares `body`, which is run by a task of `pool`.
  package init(
    in pool: CoroutinePool = CoroutinePool(clock: { 0 }), _ body: @escaping (Budget) async throws -> Output
  ) {
    coroutine = Coroutine(in: pool) { [box] budget in box.output = try await body(budget) }
  }

  /// Runs a turn; returns what the function returns, or `nil` if its time is over before.
  package func resume(until deadline: Int64, stepsPerLook: Int = Budget.stepsPerLook) throws -> Output? {
    try coroutine.resume(until: deadline, stepsPerLook: stepsPerLook) ? box.output : nil
  }
}

extension Coroutine {
  /// Runs a function to its end, without a limit of time.
  package static func complete<Output>(_ body: @escaping (Budget) async throws -> Output) throws -> Output {
    try inTurns(of: Budget.stepsPerLook, until: .max, body).output
  }

  /// Runs a function in turns of `steps`, and counts them.
  package static func inTurns<Output>(
    of steps: Int, until deadline: Int64 = 0, _ body: @escaping (Budget) async throws -> Output
  ) throws -> (output: Output, turns: Int) {
    let coroutine = ReturningCoroutine(body)
    var turns = 1
    while true {
      if let output = try coroutine.resume(until: deadline, stepsPerLook: steps) { return (output, turns) }
      turns += 1
    }
  }

  /// Runs a function that changes `state` to its end.
  package static func complete<State, Output>(
    _ state: inout State, _ body: @escaping (inout State, Budget) async throws -> Output
  ) throws -> Output {
    var copy = state
    defer { state = copy }
    return try complete { budget in try await body(&copy, budget) }
  }
}
