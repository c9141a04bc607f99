internal import ArgumentParser

/// Reads numbers of the command line that have a range.
enum RangedNumbers {
  /// A whole number from `least` to `most`.
  static func count(from least: UInt64, to most: UInt64 = .max) -> @Sendable (String) throws -> UInt64 {
    { word in
      guard let number = UInt64(word), number >= least, number <= most else {
        let range = most == .max ? "from \(least) up" : "from \(least) to \(most)"
        throw ValidationError("a whole number \(range) is wanted")
      }
      return number
    }
  }

  /// A time in seconds with an optional unit: `2`, `0.5`, `200ms`, `2s`; from 0 up to a day.
  @Sendable static func duration(_ word: String) throws -> Duration {
    let isMilliseconds = word.hasSuffix("ms")
    let digits = isMilliseconds ? word.dropLast(2) : word.hasSuffix("s") ? word.dropLast() : Substring(word)
    guard let number = Double(digits), number >= 0, number <= 86_400_000 else { throw notADuration }
    let seconds = isMilliseconds ? number / 1_000 : number
    guard seconds <= 86_400 else { throw notADuration }
    return .microseconds(Int64(seconds * 1_000_000))
  }

  /// A distance in metres with an optional unit: `500`, `500m`, `2.5km`; from 0 up.
  @Sendable static func distance(_ word: String) throws -> Double {
    let isKilometres = word.hasSuffix("km")
    let digits = isKilometres ? word.dropLast(2) : word.hasSuffix("m") ? word.dropLast() : Substring(word)
    guard let number = Double(digits), number >= 0, number.isFinite else {
      throw ValidationError("a distance is a number of metres, or one with m or km behind it")
    }
    return isKilometres ? number * 1_000 : number
  }

  private static var notADuration: ValidationError {
    ValidationError("a time is a number of seconds up to a day, or one with ms or s behind it")
  }
}
