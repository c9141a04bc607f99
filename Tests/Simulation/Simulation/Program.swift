import CSimulatedCalls
import CitiesProtocol
import CitiesServer
import FrameService
import Glibc
import Logging
import System

/// The program: seeds in, findings out.
enum Program {
  private static let usage = "usage: cities-simulation [--seeds A-B] [--trace SEED] [--resume FILE]\n"

  static func run(_ arguments: [String]) -> Int32 {
    simulated_settle(CommandLine.unsafeArgv)
    var (first, last): (UInt64, UInt64) = (1, 200)
    var traced: UInt64?
    var resume: String?
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { return complain(usage) }
      let numbers = value.split(separator: "-").compactMap { UInt64($0) }
      switch option {
      case "--seeds" where numbers.count == 2: (first, last) = (numbers[0], numbers[1])
      case "--trace" where numbers.count == 1: traced = numbers[0]
      case "--resume": resume = value
      default: return complain(usage)
      }
    }
    do {
      var oracle = try Oracle()
      try Simulation.learn(&oracle)
      let runner = Runner(oracle)
      if let traced { return runner.trace(traced) }
      return runner.run(first...max(first, last), resume)
    } catch {
      return complain("cities-simulation: \(error)\n")
    }
  }

  private static func complain(_ text: String) -> Int32 {
    writeOnce(text, to: STDERR_FILENO)
    return 2
  }
}

/// Runs seeds, each in a process of its own.
final class Runner {
  private let oracle: Oracle
  private let outcome: UnsafeMutablePointer<simulated_outcome>
  private var print: ((String) -> Void)?
  /// Seconds of processor time of one seed, after which it counts as hanging.
  private static let patience: UInt32 = 20

  init(_ oracle: Oracle) {
    self.oracle = oracle
    guard let outcome = simulated_outcome_make() else { fatalError("no memory") }
    self.outcome = outcome
  }

  /// Runs one seed and prints its steps.
  func trace(_ seed: UInt64) -> Int32 {
    print = { writeOnce($0 + "\n", to: STDOUT_FILENO) }
    for (place, template) in oracle.templates.enumerated() {
      let answers = oracle.answers[place].map { Reply($0[...]).map { "\($0.kind) \($0.code)" } ?? "none" }
      let sizes = oracle.answers[place].map(\.count)
      print?("template \(place) \(template.name): \(answers) \(sizes) bytes, \(oracle.times[place]) ns")
    }
    start(seed)
    writeOnce("seed \(seed): trace \(hexadecimal(outcome.pointee.trace)), \(outcome.pointee.calls) calls\n", to: 1)
    if outcome.pointee.has_failed != 0 { report(seed) }
    return outcome.pointee.has_failed
  }

  /// Runs seeds until one fails; `resume` names a file with the next seed.
  func run(_ seeds: ClosedRange<UInt64>, _ resume: String?) -> Int32 {
    let begin = SystemClock.nanoseconds()
    var (calls, requests, done) = (UInt64(0), UInt64(0), 0)
    var digest: UInt64 = 0
    var next = resume.flatMap(readNumber) ?? seeds.lowerBound
    while next <= seeds.upperBound {
      start(next)
      calls += outcome.pointee.calls
      requests += outcome.pointee.requests
      digest = (digest ^ outcome.pointee.trace) &* 0x0000_0100_0000_01B3
      done += 1
      if outcome.pointee.has_failed != 0 {
        report(next)
        return 1
      }
      next += 1
      if let resume, next % 50 == 0 { writeNumber(next, to: resume) }
    }
    if let resume { writeNumber(next, to: resume) }
    let seconds = Double(SystemClock.nanoseconds() - begin) / 1e9
    let rate = Int(Double(calls) / max(seconds, 0.001))
    writeOnce(
      "\(done) seeds without a finding: \(calls) calls (\(rate) per second), \(requests) requests, trace "
        + "\(hexadecimal(digest))\n", to: STDOUT_FILENO)
    return 0
  }

  private func start(_ seed: UInt64) {
    simulated_process(
      { context, seed, outcome in
        guard let context, let outcome else { return }
        let runner = Unmanaged<Runner>.fromOpaque(context).takeUnretainedValue()
        Simulation.run(seed, runner.oracle, outcome, print: runner.print)
      }, Unmanaged.passUnretained(self).toOpaque(), seed, Self.patience, outcome)
  }

  private func report(_ seed: UInt64) {
    let message = withUnsafeBytes(of: &outcome.pointee.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    writeOnce("seed \(seed): \(message)\n", to: STDOUT_FILENO)
  }

  private func hexadecimal(_ number: UInt64) -> String { String(number, radix: 16) }

  private func readNumber(_ path: String) -> UInt64? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let bytes = try? readAll(descriptor, path, limit: 32) else { return nil }
    return UInt64(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self))
  }

  private func writeNumber(_ number: UInt64, to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { return }
    _ = writeAll(Array("\(number)\n".utf8), to: descriptor)
    close(descriptor)
  }
}
