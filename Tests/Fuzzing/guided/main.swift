// The fuzzer that contrib/fuzz --guided builds: a target of Fuzzing under libFuzzer of the toolchain.
//
//   fuzz --list                    the names of the targets
//   fuzz --seeds TARGET FOLDER     writes the valid inputs of a target
//   fuzz TARGET OPTION...          runs libFuzzer with its own options
//
// CITIES_FUZZ_SECONDS is the processor time after which it stops; 0 or nothing for no limit.

import Fuzzing
import Glibc
import TestSupport

/// `FuzzerDriver.h` of LLVM; the toolchain has no module for it.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private enum Guided {
  /// Names the target to the processes that libFuzzer starts with options of its own, as it does to merge.
  static let variable = "CITIES_FUZZ_TARGET"

  /// The target that the first word names; only the thread of the fuzzer uses it.
  nonisolated(unsafe) static let target: any FuzzTarget = {
    do {
      let name = getenv(variable).map { String(cString: $0) } ?? ""
      guard let type = FuzzTargets.named(name) else { fatalError("no target is named '\(name)'; see --list") }
      return try type.init()
    } catch {
      fatalError("the target cannot be prepared: \(error)")
    }
  }()

  /// Interrupts the fuzzer, which then prints its figures, when it has used its processor time.
  static func stopInTime() {
    let seconds = getenv("CITIES_FUZZ_SECONDS").flatMap { Int(String(cString: $0)) } ?? 0
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in raise(SIGINT) }
    sigaction(SIGPROF, &action, nil)
    var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }

  static func run() -> CInt {
    stopInTime()
    var (words, count) = (CommandLine.unsafeArgv, CommandLine.argc)
    if getenv(variable) == nil {
      setenv(variable, CommandLine.arguments[1], 1)
      // libFuzzer takes the first word for the program, which it starts again.
      words[1] = words[0]
      (words, count) = (words + 1, count - 1)
    }
    return runDriver(&count, &words) { bytes, length in
      do { try Guided.target.run(Array(UnsafeBufferPointer(start: bytes, count: length))) } catch {
        fatalError("\(error)")
      }
      return 0
    }
  }

  static func writeSeeds(of name: String, to path: String) throws {
    for (number, seed) in (try FuzzTargets.named(name)?.allSeeds ?? []).enumerated() {
      let file = fopen("\(path)/seed-\(number)", "w")
      fwrite(seed, 1, seed.count, file)
      fclose(file)
    }
  }
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "--list": for target in FuzzTargets.all { print(target.name) }
case "--seeds" where words.count == 3: try Guided.writeSeeds(of: words[2], to: words[3])
default: exit(words.isEmpty ? 2 : Guided.run())
}
