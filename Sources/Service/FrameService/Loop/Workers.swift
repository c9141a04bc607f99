import System

/// Work under way on threads of its own, by number, with what is to happen on the loop's thread afterwards.
struct Workers {
  private var issued: UInt64 = 0
  private var finishers: [UInt64: (any Sendable) -> Void] = [:]

  /// Jobs that have not reported.
  var count: Int { finishers.count }

  mutating func begin(_ finisher: @escaping (any Sendable) -> Void) -> UInt64 {
    issued += 1
    finishers[issued] = finisher
    return issued
  }

  mutating func end(_ job: UInt64) -> ((any Sendable) -> Void)? { finishers.removeValue(forKey: job) }
}

extension EventLoop {
  /// Jobs under way on worker threads.
  package var offloaded: Int { workers.count }

  /// Runs `work` on a thread of its own and `then` with its result on the loop's thread.
  ///
  /// Such work is rare (opening a new file, an import), so a thread per job is simpler than a pool and just as good. If no
  /// thread can be had, the work is done at once: late answers are better than none.
  package func offload<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, then: @escaping (Result) -> Void
  ) {
    let job = workers.begin { result in
      if let result = result as? Result { then(result) }
    }
    let mailbox = mailbox
    let body: @Sendable () -> Void = {
      let result = work()
      mailbox.post { loop in loop.workers.end(job)?(result) }
    }
    if !startDetachedThread(body) { body() }
  }
}
