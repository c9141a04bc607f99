/// Natural numbers of any length, as taught in school: one digit an element, the last digit first.
///
/// The plain reference for the arithmetic under test: no shared code, no binary, no rounding.
struct Digits: Equatable {
  var digits: [Int]

  init(_ digits: [Int]) {
    var digits = digits
    while digits.last == 0 { digits.removeLast() }
    self.digits = digits
  }

  init(_ text: String) { self.init(text.reversed().compactMap(\.wholeNumberValue)) }

  static let one = Digits([1])
  var isZero: Bool { digits.isEmpty }
  var isOdd: Bool { (digits.first ?? 0) % 2 == 1 }
  var text: String { isZero ? "0" : digits.reversed().map(String.init).joined() }

  func shifted(_ zeros: Int) -> Digits { isZero ? self : Digits([Int](repeating: 0, count: zeros) + digits) }

  static func + (left: Digits, right: Digits) -> Digits {
    var (sum, carry) = ([Int](), 0)
    for index in 0..<max(left.digits.count, right.digits.count) + 1 {
      let column = left.digit(index) + right.digit(index) + carry
      sum.append(column % 10)
      carry = column / 10
    }
    return Digits(sum)
  }

  /// `left` is not smaller.
  static func - (left: Digits, right: Digits) -> Digits {
    var (difference, borrow) = ([Int](), 0)
    for index in left.digits.indices {
      let column = left.digit(index) - right.digit(index) - borrow
      difference.append((column + 10) % 10)
      borrow = column < 0 ? 1 : 0
    }
    return Digits(difference)
  }

  static func * (left: Digits, right: Digits) -> Digits {
    var product = [Int](repeating: 0, count: left.digits.count + right.digits.count + 1)
    for (i, a) in left.digits.enumerated() {
      for (j, b) in right.digits.enumerated() { product[i + j] += a * b }
    }
    for index in product.indices.dropLast() {
      product[index + 1] += product[index] / 10
      product[index] %= 10
    }
    return Digits(product)
  }

  static func < (left: Digits, right: Digits) -> Bool {
    left.digits.count == right.digits.count
      ? left.digits.reversed().lexicographicallyPrecedes(right.digits.reversed())
      : left.digits.count < right.digits.count
  }

  func divided(by divisor: Digits) -> (quotient: Digits, remainder: Digits) {
    var (quotient, rest) = ([Int](), Digits([]))
    for digit in digits.reversed() {
      rest = Digits([digit] + rest.digits)
      var count = 0
      while !(rest < divisor) {
        rest = rest - divisor
        count += 1
      }
      quotient.append(count)
    }
    return (Digits(quotient.reversed()), rest)
  }

  private func digit(_ index: Int) -> Int { index < digits.count ? digits[index] : 0 }
}

/// A fraction of decimals, exact, with the same reference arithmetic.
struct Fraction {
  var numerator = Digits.one
  var denominator = Digits.one
  var scale = 0
  var isNegative = false

  /// Takes a decimal's text, such as `-10.00`.
  init(_ text: String) {
    let parts = text.drop { $0 == "-" }.split(separator: ".")
    numerator = Digits(parts.joined())
    scale = parts.count > 1 ? parts[1].count : 0
    isNegative = text.hasPrefix("-")
  }

  static func * (left: Fraction, right: Fraction) -> Fraction {
    var result = left
    result.numerator = left.numerator * right.numerator
    result.denominator = left.denominator * right.denominator
    result.scale += right.scale
    result.isNegative = left.isNegative != right.isNegative
    return result
  }

  var inverse: Fraction {
    var result = self
    (result.numerator, result.denominator, result.scale) = (denominator, numerator, -scale)
    return result
  }

  /// Plain decimal notation with `places` digits after the point, half to even.
  func rounded(places: Int) -> String {
    let shift = places - scale
    let top = numerator.shifted(max(0, shift))
    let bottom = denominator.shifted(max(0, -shift))
    var (quotient, rest) = top.divided(by: bottom)
    let twice = rest + rest
    if bottom < twice || twice == bottom && quotient.isOdd { quotient = quotient + .one }
    let text = String(repeating: "0", count: max(0, places + 1 - quotient.text.count)) + quotient.text
    let sign = isNegative && !quotient.isZero ? "-" : ""
    return sign + text.dropLast(places) + (places > 0 ? "." + text.suffix(places) : "")
  }
}
