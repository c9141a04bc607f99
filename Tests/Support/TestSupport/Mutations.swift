import Glibc

/// A part of the seeded mutations that a decoder must live through.
///
/// ```swift
/// @Test(arguments: Mutations.parts(of: .frames)) func `a mutated stream ...`(part: Mutations) throws {
///   try part.run { mutator in ... }
/// }
/// ```
///
/// `CITIES_MUTATIONS` says how many there are in all: 40,000 if it is not set, or 100,000 if every case is tried;
/// `contrib/fuzz` sets it. Every mutation has a seed of its own, so one that fails is tried again alone with
/// `CITIES_MUTATION=TARGET/PART/INDEX`.
package struct Mutations: Sendable, CustomStringConvertible {
  /// The decoder under test.
  package enum Target: String, CaseIterable, Sendable {
    case items, messages, frames, requests, params, headers, sections, files

    /// Its share of all mutations: less where each costs more.
    package var percent: Int {
      switch self {
      case .items: 30
      case .messages, .params, .headers: 10
      case .frames, .requests, .sections: 12
      case .files: 4
      }
    }
  }

  /// Mutations of all targets.
  package static let total = text("CITIES_MUTATIONS").flatMap { Int($0) } ?? Thoroughness.count(40_000, ofAll: 100_000)
  /// Parts of a target, which run beside each other.
  package static let partCount = 4
  /// Processor time that a mutation may take: a thousand times what the slowest takes, and yet no hang.
  package static let maximumMilliseconds = 1_000

  /// The mutated bytes.
  package let target: Target
  /// Which part this is.
  package let part: Int

  /// All parts of `target`.
  package static func parts(of target: Target) -> [Mutations] {
    (0..<partCount).map { Mutations(target: target, part: $0) }
  }

  /// The target and the part.
  package var description: String { "\(target)/\(part)" }

  /// How many mutations the part has.
  private var count: Int {
    let share = (Self.total * target.percent + 99) / 100
    return (share + Self.partCount - 1 - part) / Self.partCount
  }

  /// Calls `body` with a mutator for every mutation of the part.
  ///
  /// - Throws: what `body` throws, and ``MutationError`` for a mutation that takes too long.
  package func run(_ body: (inout Mutator) throws -> Void) throws {
    LastMutation.watch()
    var before = processorTime()
    for index in indices {
      LastMutation.note(self, index)
      var mutator = Mutator(seed: UInt64(part) << 40 | UInt64(index))
      try body(&mutator)
      let now = processorTime()
      guard now - before <= Self.maximumMilliseconds * 1_000_000 else {
        throw MutationError(description: "mutation \(self)/\(index) took \((now - before) / 1_000_000) ms")
      }
      before = now
    }
    LastMutation.note(self, nil)
    if Self.text("CITIES_MUTATIONS") != nil { print("mutations: \(target.rawValue) \(indices.count)") }
  }

  /// All of the part, or the one that is asked for.
  private var indices: Range<Int> {
    guard let only = Self.text("CITIES_MUTATION") else { return 0..<count }
    let words = only.split(separator: "/")
    guard words.count == 3, words[0] == target.rawValue, Int(words[1]) == part, let index = Int(words[2]) else {
      return 0..<0
    }
    return index..<index + 1
  }

  private static func text(_ variable: String) -> String? { getenv(variable).map { String(cString: $0) } }
}

/// Nanoseconds that this thread has run: unlike those of a clock they are the same on a busy machine.
package func processorTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A mutation on which the decoder failed.
package struct MutationError: Error, CustomStringConvertible {
  /// Which, and why.
  package let description: String
}
