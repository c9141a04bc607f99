/// A computation that is done in turns, on the thread that calls ``resume(until:stepsPerLook:)``.
///
/// It is an asynchronous function that only ever waits in ``Budget/check(_:)``. It runs on no thread pool, and never
/// beside another one: a turn runs in place, until the function waits or returns.
///
/// Where it is released before its end, the function is resumed a last time and ends by ``Stopped``.
package final class Coroutine {
  private let pool: CoroutinePool
  private let runner: Runner
  private var isOver = false

  /// Prepares `body`, which starts in the first turn, and is run by a task of `pool`.
  package init(in pool: CoroutinePool, _ body: @escaping (Budget) async throws -> Void) {
    self.pool = pool
    runner = pool.take()
    runner.body = body
  }

  deinit {
    if !isOver {
      runner.budget.isStopped = true
      runner.run()
    }
    pool.put(runner)
  }

  /// Runs a turn: until the function ends, or `deadline` has passed when it looks at the clock.
  ///
  /// It looks after each `stepsPerLook` steps. After the end it must not be called again.
  ///
  /// - Returns: whether the function has returned; `false` if its time is over before.
  /// - Throws: what the function throws.
  package func resume(until deadline: Int64, stepsPerLook: Int = Budget.stepsPerLook) throws -> Bool {
    runner.budget.begin(until: deadline, stepsPerLook: stepsPerLook)
    runner.run()
    isOver = runner.isIdle
    if let failure = runner.takeFailure() { throw failure }
    return isOver
  }
}

/// The tasks that run the coroutines of one thread, one after the other: a new task for each would cost microseconds.
///
/// It belongs to one thread, with all of its coroutines.
package final class CoroutinePool {
  /// Tasks that wait for a function, at most; more are made, and not kept.
  private static let kept = 64

  private let clock: () -> Int64
  private var idle: [Runner] = []

  /// Makes a pool whose coroutines have `clock`, which says the time in the unit of deadlines.
  package init(clock: @escaping () -> Int64) { self.clock = clock }

  fileprivate func take() -> Runner { idle.popLast() ?? Runner(Budget(clock: clock)) }

  fileprivate func put(_ runner: Runner) {
    guard idle.count < Self.kept else { return }
    _ = runner.takeFailure()
    runner.budget.isStopped = false
    idle.append(runner)
  }
}

/// A task that runs one function after the other.
private final class Runner {
  let budget: Budget
  private let turns = Turns()
  private let work = Work()

  /// What the task and its runner share.
  private final class Work {
    /// The function that comes next.
    var body: ((Budget) async throws -> Void)?
    /// What the last one has thrown.
    var failure: (any Error)?
    /// The task, where it waits for a function.
    var waiting: UnsafeContinuation<Void, Never>?
    var isOver = false

    /// Runs the function that comes next, if there is one and somebody still waits for it.
    func run(_ budget: Budget) async -> Bool {
      guard let body = body.take() else { return false }
      guard !budget.isStopped else { return true }
      do { try await body(budget) } catch { failure = error }
      return true
    }
  }

  init(_ budget: Budget) {
    self.budget = budget
    // All of it belongs to the thread that runs it.
    nonisolated(unsafe) let (work, budget) = (work, budget)
    Task(executorPreference: turns) {
      while !work.isOver {
        if !(await work.run(budget)) { await withUnsafeContinuation { work.waiting = $0 } }
      }
    }
  }

  deinit {
    work.isOver = true
    run()
  }

  /// The function that comes next.
  var body: ((Budget) async throws -> Void)? {
    get { work.body }
    set { work.body = newValue }
  }

  /// Whether its function has ended.
  var isIdle: Bool { budget.suspended == nil }

  /// What the last function has thrown, once.
  func takeFailure() -> (any Error)? { work.failure.take() }

  /// Runs the task until its function waits or ends.
  func run() {
    let suspended = budget.suspended.take() ?? work.waiting.take()
    suspended?.resume()
    turns.run()
  }
}

/// Where the next part of a task waits, from one suspension to the next: there is one at most.
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
