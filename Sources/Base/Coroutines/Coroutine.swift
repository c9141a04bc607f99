/// A computation that runs in turns, on the thread that calls ``resume(until:stepsPerLook:)``.
///
/// It is an asynchronous function that is suspended only in ``Budget/check(_:)``. It never runs on a thread pool or
/// concurrently: a turn runs in place, until the function is suspended or returns.
///
/// If it is released before its end, the function is resumed once more and ends with ``Stopped``.
package final class Coroutine {
  private let pool: CoroutinePool
  private let runner: Runner
  private var isOver = false

  /// Prepares `body`, which starts in the first turn, in a task of `pool`.
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

  /// Runs a turn: until the function ends, or finds that `deadline` has passed.
  ///
  /// It reads the clock every `stepsPerLook` steps. Do not call this after the end.
  ///
  /// - Returns: whether the function has returned; `false` if the turn ended first.
  /// - Throws: any error of the function.
  package func resume(until deadline: Int64, stepsPerLook: Int = Budget.stepsPerLook) throws -> Bool {
    runner.budget.begin(until: deadline, stepsPerLook: stepsPerLook)
    runner.run()
    isOver = runner.isIdle
    if let failure = runner.takeFailure() { throw failure }
    return isOver
  }
}

/// The tasks that run the coroutines of one thread; reused because a new task would cost microseconds.
///
/// It belongs to one thread, with all of its coroutines.
package final class CoroutinePool {
  /// The most idle tasks kept.
  private static let kept = 64

  private let clock: () -> Int64
  private var idle: [Runner] = []

  /// Makes a pool whose coroutines use `clock`, which returns the time in the unit of deadlines.
  package init(clock: @escaping () -> Int64) { self.clock = clock }

  fileprivate func take() -> Runner { idle.popLast() ?? Runner(Budget(clock: clock)) }

  fileprivate func put(_ runner: Runner) {
    guard idle.count < Self.kept else { return }
    _ = runner.takeFailure()
    runner.budget.isStopped = false
    idle.append(runner)
  }
}

/// A task that runs functions one after another.
private final class Runner {
  let budget: Budget
  private let turns = Turns()
  private let work = Work()

  /// The state shared by the task and its runner.
  private final class Work {
    /// The next function.
    var body: ((Budget) async throws -> Void)?
    /// The error of the last function.
    var failure: (any Error)?
    /// The task, waiting for a function.
    var waiting: UnsafeContinuation<Void, Never>?
    var isOver = false

    /// Runs the next function, and returns whether there was one; one that was given up does not start.
    func run(_ budget: Budget) async -> Bool {
      guard let body = body.take() else { return false }
      guard !budget.isStopped else { return true }
      do { try await body(budget) } catch { failure = error }
      return true
    }
  }

  init(_ budget: Budget) {
    self.budget = budget
    // Safe: all of it belongs to the thread that runs it.
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

  /// The next function.
  var body: ((Budget) async throws -> Void)? {
    get { work.body }
    set { work.body = newValue }
  }

  /// Whether its function has ended.
  var isIdle: Bool { budget.suspended == nil }

  /// The error of the last function, once.
  func takeFailure() -> (any Error)? { work.failure.take() }

  /// Runs the task until its function is suspended or ends.
  func run() {
    let suspended = budget.suspended.take() ?? work.waiting.take()
    suspended?.resume()
    turns.run()
  }
}

/// The executor of a task: holds its next job, of which there is at most one.
///
/// `Sendable` because the language requires it of executors; only one thread uses it.
private final class Turns: TaskExecutor, @unchecked Sendable {
  private var next: UnownedJob?

  func enqueue(_ job: consuming ExecutorJob) { next = UnownedJob(job) }

  /// Runs the jobs that are ready.
  func run() {
    while let job = next {
      next = nil
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
