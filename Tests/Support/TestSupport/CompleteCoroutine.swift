package import Coroutines

extension Coroutine {
  /// Runs a function to its end, without a limit of time.
  package static func complete(
    _ body: @escaping (Budget) async throws -> Output
  ) throws -> Output {
    let coroutine = Coroutine(in: CoroutinePool(clock: { 0 }), body)
    while true {
      if let output = try coroutine.resume(until: .max) { return output }
    }
  }

  /// Runs a function in turns of `steps`, and counts them.
  package static func inTurns(
    of steps: Int, _ body: @escaping (Budget) async throws -> Output
  ) throws -> (output: Output, turns: Int) {
    let coroutine = Coroutine(in: CoroutinePool(clock: { 0 }), body)
    var turns = 1
    while true {
      if let output = try coroutine.resume(until: 0, stepsPerLook: steps) { return (output, turns) }
      turns += 1
    }
  }

  /// Runs a function that changes `state` to its end.
  package static func complete<State>(
    _ state: inout State, _ body: @escaping (inout State, Budget) async throws -> Output
  ) throws -> Output {
    var copy = state
    defer { state = copy }
    return try complete { budget in try await body(&copy, budget) }
  }
}
