/// A computation that is done in turns, on the thread that calls ``resume(until:stepsPerLook:)``.
///
/// It is an asynchronous function that only ever waits in ``Budget/check(_:)``. It runs on no thread pool, and never
/// beside another one: a turn runs in place, until the function waits or returns.
///
/// Where it is released before its end, the function is resumed a last time and ends by ``Stopped``.
package final class Coroutine<Output> {
  private let budget: Budget
  private let turns: Turns
  private let end: End

  /// What the function came to.
  private final class End {
    var result: Result<Output, any Error>?
  }

  /// Prepares `body`; it starts in the first turn.
  ///
  /// `clock` says the time in the unit of deadlines.
  package init(clock: @escaping () -> Int64, _ body: @escaping (Budget) async throws -> Output) {
    // All of it belongs to the thread that resumes.
    nonisolated(unsafe) let (body, end, budget) = (body, End(), Budget(clock: clock))
    (turns, self.end, self.budget) = (Turns(), end, budget)
    Task(executorPreference: turns) {
      guard !budget.isStopped else { return }
      do { end.result = .success(try await body(budget)) } catch { end.result = .failure(error) }
    }
  }

  deinit {
    guard end.result == nil else { return }
    budget.isStopped = true
    continueBody()
  }

  /// Runs a turn: until the function ends, or `deadline` has passed when it looks at the clock.
  ///
  /// It looks after each `stepsPerLook` steps. After the end it must not be called again.
  ///
  /// - Returns: what the function returns; `nil` if its time is over before.
  /// - Throws: what the function throws.
  package func resume(until deadline: Int64, stepsPerLook: Int = Budget.stepsPerLook) throws -> Output? {
    (budget.deadline, budget.stepsPerLook, budget.left) = (deadline, stepsPerLook, stepsPerLook)
    continueBody()
    return try end.result?.get()
  }

  private func continueBody() {
    let suspended = budget.suspended
    budget.suspended = nil
    suspended?.resume()
    turns.run()
  }
}

/// Where the next part of a function waits, from one suspension to the next: there is one at most.
///
/// It is `Sendable` because the language demands it of executors; one thread alone has it.
private final class Turns: TaskExecutor, @unchecked Sendable {
  private var next: UnownedJob?

  func enqueue(_ job: consuming ExecutorJob) { next = UnownedJob(job) }

  /// Runs the parts that are ready.
  func run() {
    while let job = next {
      next = nil
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
