import Money
import TestSupport
import Testing

@Suite struct ExactDecimalArithmeticTests {
  @Test(arguments: [
    ("1.005", "1.00"), ("1.015", "1.02"), ("2.505", "2.50"), ("2.515", "2.52"), ("-1.005", "-1.00"),
    ("-1.015", "-1.02"),
    ("0", "0.00"), ("0.005", "0.00"), ("-0.005", "0.00"), ("0.015", "0.02"), ("0.0050000000000000000000000001", "0.01"),
    ("0.00499999999999999999999999999999999999", "0.00"), ("1", "1.00"), ("1.1", "1.10"), ("9.995", "10.00"),
    ("9.985", "9.98"), ("99999999999999999999.995", "100000000000000000000.00"), ("-0.001", "0.00"), ("10.00", "10.00"),
    ("12345678901234567890.125", "12345678901234567890.12"), ("12345678901234567890.135", "12345678901234567890.14"),
    ("999999999999999999999999999999999999", "999999999999999999999999999999999999.00"),
  ])
  func `two places are rounded half to even`(text: String, rounded: String) throws {
    #expect(try decimal(text).rounded(places: 2).description == rounded)
    #expect(Fraction(text).rounded(places: 2) == rounded)
  }

  @Test(arguments: ["1000000000000000000000000000000000000", "-99999999999999999999999999999999999999"])
  func `amounts that do not fit two places are an error`(text: String) throws {
    #expect(throws: MoneyError.overflow) { try decimal(text).rounded(places: 2) }
  }

  @Test func `rounding that needs a 39th digit is an error`() throws {
    let most = try ExactDecimal(mantissa: Int128(ExactDecimal.maximumMagnitude), scale: 3)
    #expect(try most.rounded(places: 2).description == "100000000000000000000000000000000000.00")
    let full = try ExactDecimal(mantissa: Int128(ExactDecimal.maximumMagnitude), scale: 2)
    #expect(try full.rounded(places: 2) == full)
    #expect(throws: MoneyError.overflow) { try full.rounded(places: 3) }
  }

  @Test(arguments: [
    ("10.00", "4.99", "14.99"), ("0.1", "0.2", "0.3"), ("1", "-1", "0"), ("1.50", "-0.5", "1.00"),
    ("-2", "-0.05", "-2.05"),
    ("0.00", "5", "5.00"), ("5", "-7.25", "-2.25"),
    ("99999999999999999999999999999999999998", "1", "99999999999999999999999999999999999999"),
    ("10000000000000000000000000000000000000", "0.00", "10000000000000000000000000000000000000"),
  ])
  func `sums are exact at the larger scale`(left: String, right: String, sum: String) throws {
    #expect(try decimal(left).adding(decimal(right)).description == sum)
    #expect(try decimal(right).adding(decimal(left)).description == sum)
  }

  @Test(arguments: [
    ("99999999999999999999999999999999999999", "1"), ("10000000000000000000000000000000000000", "0.1"),
    ("-99999999999999999999999999999999999999", "-1"),
  ])
  func `sums that would lose digits are an error`(left: String, right: String) throws {
    #expect(throws: MoneyError.overflow) { try decimal(left).adding(decimal(right)) }
  }

  @Test func `order and equality go by value`() throws {
    let ascending = [
      "-99999999999999999999999999999999999999", "-10", "-1.5", "-1.4999999999999999999999999999999999999",
      "-0.00000000000000000000000000000000000001", "0", "0.00000000000000000000000000000000000001", "0.1", "1", "1.05",
      "1.5", "9.99", "10", "99999999999999999999999999999999999999",
    ]
    let values = try ascending.map(decimal)
    for (i, left) in values.enumerated() {
      for (j, right) in values.enumerated() { #expect((left < right, left == right) == (i < j, i == j)) }
    }
    let tens =
      try ["10", "10.0", "10.00000000000000000000000000000000000"].map(decimal) + [ExactDecimal(mantissa: 1, scale: -1)]
    #expect(Set(tens).count == 1)
    #expect(Set(try ["0", "0.00", "-0.0"].map(decimal)).count == 1)
  }

  @Test(arguments: [
    ("1", "3", "0.33333333333333333333333333333333333333", false),
    ("2", "3", "0.66666666666666666666666666666666666667", false),
    ("1", "8", "0.125", true), ("1", "1.359", "0.73583517292126563649742457689477557027", false),
    ("10.00", "4", "2.50", true),
    ("1", "0.00000000000001", "100000000000000", true), ("-1", "7", "-0.14285714285714285714285714285714285714", false),
    ("6", "2", "3", true), ("0.00", "7", "0.00", true), ("100", "1.00", "100", true),
    ("1", "1024", "0.0009765625", true),
    (
      "1", "99999999999999999999999999999999999999",
      "0.000000000000000000000000000000000000010000000000000000000000000000000000000", false
    ),
  ])
  func `quotients terminate or have 38 digits`(left: String, right: String, quotient: String, isExact: Bool) throws {
    let result = try decimal(left).divided(by: decimal(right))
    #expect((result.value.description, result.isExact) == (quotient, isExact))
  }

  @Test func `division by zero is an error`() throws {
    #expect(throws: MoneyError.divisionByZero) { try decimal("1").divided(by: decimal("0.00")) }
    #expect(throws: MoneyError.divisionByZero) { try decimal("0").divided(by: .zero) }
  }

  @Test func `results beyond every scale are an error and never zero`() throws {
    let tiny = try ExactDecimal(mantissa: 1, scale: 6176)
    let huge = try ExactDecimal(mantissa: 1, scale: -6144)
    #expect(throws: MoneyError.overflow) { try tiny.multiplied(by: tiny) }
    #expect(throws: MoneyError.overflow) { try huge.multiplied(by: huge) }
    #expect(throws: MoneyError.overflow) { try tiny.divided(by: huge) }
    #expect(throws: MoneyError.overflow) { try huge.rounded(places: 2) }
    #expect(try tiny.rounded(places: 2).description == "0.00")
    #expect(tiny < huge && tiny > .zero)
    #expect(throws: MoneyError.overflow) { try huge.adding(tiny) }
  }

  @Test func `products keep 38 digits of the true product`() throws {
    let nines = try decimal("99999999999999999999999999999999999999")
    let square = try nines.multiplied(by: nines)
    #expect((square.value.mantissa, square.value.scale, square.isExact) == (Int128(nines.magnitude) - 1, -38, false))
    let exact = try decimal("1.359").multiplied(by: decimal("0.732"))
    #expect((exact.value.description, exact.isExact) == ("0.994788", true))
  }

  @Test func `products and quotients agree with school arithmetic`() throws {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<1_000 {
      let (left, right) = (randomText(&random), randomText(&random))
      let (a, b) = (try decimal(left), try decimal(right))
      let product = try a.multiplied(by: b)
      expectRounding(of: Fraction(left) * Fraction(right), is: product, "\(left) * \(right)")
      guard !b.isZero else { continue }
      expectRounding(of: Fraction(left) * Fraction(right).inverse, is: try a.divided(by: b), "\(left) / \(right)")
    }
  }

  @Test func `sums and order agree with school arithmetic`() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<1_000 {
      let (left, right) = (randomText(&random), randomText(&random))
      let (a, b) = (try decimal(left), try decimal(right))
      let places = max(a.scale, b.scale)
      let (x, y) = (Fraction(left).digits(atScale: places), Fraction(right).digits(atScale: places))
      #expect((a.magnitudeOnly < b.magnitudeOnly) == (x < y), "\(left) < \(right)")
      guard a.isNegative == b.isNegative, (x + y).digits.count <= 38 else { continue }
      #expect(try a.adding(b).mantissa.magnitude.description == (x + y).text, "\(left) + \(right)")
      #expect(try a.adding(b).adding(-b) == a, "\(left) + \(right) - \(right)")
    }
  }

  /// A number of 1 to 38 digits and any number of places, with many zeros, nines and fives.
  private func randomText(_ random: inout SeededGenerator) -> String {
    let count = Int.random(in: 1...38, using: &random)
    let pool = Bool.random(using: &random) ? [0, 0, 0, 5, 9, 9] : Array(0...9)
    let digits = (0..<count).compactMap { _ in pool.randomElement(using: &random) }.map(String.init).joined()
    let places = Int.random(in: 0..<count, using: &random)
    let sign = Bool.random(using: &random) ? "-" : ""
    return sign + digits.dropLast(places) + (places == 0 ? "" : "." + digits.suffix(places))
  }

  /// Expects `result` to be the fraction rounded at the result's own scale, and to have all its digits if it is
  /// inexact.
  private func expectRounding(of fraction: Fraction, is result: RoundedDecimal, _ what: String) {
    let value = result.value
    let places = max(0, value.scale)
    guard value.scale >= 0 else {
      var shifted = fraction
      shifted.scale -= value.scale
      #expect(shifted.rounded(places: 0) == "\(value.mantissa)", "\(what)")
      return
    }
    #expect(fraction.rounded(places: places) == value.description, "\(what)")
    if !result.isExact { #expect(value.magnitude.description.utf8.count == 38, "\(what) keeps 38 digits") }
    let again = Fraction(value.description)
    let isEqual =
      again.numerator.shifted(max(0, fraction.scale - again.scale)) * fraction.denominator
      == fraction.numerator.shifted(max(0, again.scale - fraction.scale))
    #expect(isEqual == result.isExact, "\(what) is exact: \(result.isExact)")
  }
}

extension ExactDecimal {
  fileprivate var magnitudeOnly: ExactDecimal { isNegative ? -self : self }
}

extension Fraction {
  fileprivate func digits(atScale places: Int) -> Digits { numerator.shifted(places - scale) }
}
