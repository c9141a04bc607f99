/// Numbers that are easy to read: 1, 2 and 5 times a power of ten.
enum RoundNumbers {
  /// The least of them that is at least `number`; 1 for what is not above zero.
  static func least(from number: Double) -> Double {
    let power = power(upTo: number)
    return [power, 2 * power, 5 * power].first { $0 >= number } ?? 10 * power
  }

  /// The greatest of them that is at most `number`; 1 for what is not above zero.
  static func greatest(upTo number: Double) -> Double {
    let power = power(upTo: number)
    return [5 * power, 2 * power].first { $0 <= number } ?? power
  }

  /// The greatest power of ten up to `number`.
  ///
  /// Negative powers are made by one division, so that they print with the digits that they have.
  private static func power(upTo number: Double) -> Double {
    guard number > 0, number.isFinite else { return 1 }
    var power = 1.0
    if number >= 1 {
      while power * 10 <= number { power *= 10 }
      return power
    }
    while 1 / power > number { power *= 10 }
    return 1 / power
  }
}
