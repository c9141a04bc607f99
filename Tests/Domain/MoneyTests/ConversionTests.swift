import Money
import TestSupport
import Testing
import TradeReference

@Suite struct ConversionTests {
  @Test(arguments: [
    // Ties that only the conversion makes, along and against rates, of either sign.
    ("A B 0.5", "0.01", "0.00"), ("A B 0.5", "0.03", "0.02"), ("A B 0.5", "-0.03", "-0.02"),
    ("A B 0.5", "-0.01", "0.00"),
    ("A B 1.5", "0.05", "0.08"), ("A B 1.5", "0.07", "0.10"), ("B A 2", "0.01", "0.00"), ("B A 2", "0.05", "0.02"),
    ("B A 2", "0.07", "0.04"), ("B A 8", "0.04", "0.00"), ("B A 8", "0.12", "0.02"),
    ("A B 0.000000001", "5000000", "0.00"),
    // A tie after a rate that does not terminate: multiplying by 0.333…3 would miss it.
    ("B A 3", "0.045", "0.02"), ("B A 3", "0.015", "0.00"), ("B A 3", "-0.045", "-0.02"), ("B A 0.7", "0.0175", "0.02"),
    ("B C 3,A C 1", "0.045", "0.02"), ("A C 7,B C 7", "1.005", "1.00"), ("A C 7,B C 7", "1.015", "1.02"),
    ("B A 3", "1", "0.33"), ("B A 3", "2.00", "0.67"), ("B A 3", "0", "0.00"), ("B A 3", "-100", "-33.33"),
    // Amounts of 20 digits.
    ("A B 1.00000000000001", "12345678901234567890.12", "12345678901234691346.91"),
    ("A B 1", "99999999999999999999.995", "100000000000000000000.00"),
    ("B A 3", "10000000000000000000", "3333333333333333333.33"),
  ])
  func `amounts are rounded once half to even`(rates: String, amount: String, converted: String) throws {
    let path = try #require(try table(rates).path("A", "B"))
    #expect(try path.convert(decimal(amount)).description == converted)
  }

  @Test(arguments: [
    ("A C 0.5,C B 3", "0.01", "0.02", "0.00"), ("A C 0.333,C B 3.003", "10.00", "10.00", "10.00"),
    ("A C 0.01,C B 100", "0.49", "0.49", "0.00"), ("A C 0.01,C B 100", "0.51", "0.51", "1.00"),
    ("C A 3,C B 3", "1.00", "1.00", "0.99"), ("A C 1.005,C B 1", "1", "1.00", "1.00"),
    ("A C 0.1,C D 0.1,D B 100", "0.55", "0.55", "1.00"),
  ])
  func `rounding every step differs from rounding once`(rates: String, amount: String, once: String, step: String)
    throws
  {
    let path = try #require(try table(rates).path("A", "B"))
    #expect(try path.convert(decimal(amount), rounding: .once).description == once)
    #expect(try path.convert(decimal(amount), rounding: .step).description == step)
  }

  @Test(arguments: [
    ("KWD", "1.255", "1.255", "1.26"), ("KWD", "1.2545", "1.254", "1.25"), ("JPY", "2.5", "2", "2.50"),
    ("JPY", "-3.51", "-4", "-3.51"), ("CLF", "0.00005", "0.0000", "0.00"), ("EUR", "1.255", "1.26", "1.26"),
    ("XAU", "1.255", "1.26", "1.26"), ("USDT", "1.255", "1.26", "1.26"),
  ])
  func `amounts have the decimals of their currency, two if every step is rounded`(
    code: String, amount: String, once: String, step: String
  ) throws {
    let path = try #require(try table("A \(code) 1").path("A", code))
    #expect(try path.convert(decimal(amount)).description == once)
    #expect(try path.convert(decimal(amount), rounding: .step).description == step)
    for (rounding, expected) in [(Rounding.once, once), (.step, step)] {
      let converter = try CurrencyConverter(table("A \(code) 1"), to: currency(code), rounding: rounding)
      #expect(ProductSum(places: converter.places).total.amount?.scale == (try decimal(expected)).scale)
    }
  }

  @Test func `two amounts of three decimals are summed with three`() throws {
    let sales = [try sale("A", "1.255", "KWD"), try sale("A", "1.255", "KWD")]
    let statement = ProductStatement(try ProductCode("A"), sales[...], .empty, in: try currency("KWD"))
    #expect(statement.total.amount?.description == "2.510")
  }

  @Test(arguments: Rounding.allCases) func `a currency converts to itself exactly`(rounding: Rounding) throws {
    for rates in ["", "A B 2,B A 3,A A 1"] {
      let path = try #require(try table(rates).path("A", "A"))
      #expect(path.steps.isEmpty && path.rate.description == "1" && !path.isRounded && !path.isDerived)
      for amount in ["10.00", "-0.01", "12345678901234567890.12", "0.00"] {
        #expect(try path.convert(decimal(amount), rounding: rounding).description == amount)
      }
      #expect(try path.convert(decimal("1.005"), rounding: rounding).description == "1.00", "totals have two places")
    }
  }

  @Test func `a reversed rate that does not terminate is shown with 38 digits and marked`() throws {
    let path = try #require(try table("B A 3").path("A", "B"))
    let step = try #require(path.steps.first)
    #expect(path.rate.description == "0." + String(repeating: "3", count: 38) && path.isRounded && path.isDerived)
    #expect(step.isReversed && step.isRounded && step.given.value.description == "3" && step.rate == path.rate)
    let half = try #require(try table("B A 2").path("A", "B"))
    #expect(half.rate.description == "0.5" && !half.isRounded && half.steps.first?.isRounded == false)
  }

  @Test func `rates of 14 decimals over three conversions keep 38 digits`() throws {
    let path = try #require(try table("A B 1.23456789012345,B C 2.34567890123451,C D 3.45678901234512").path("A", "D"))
    let product = Fraction("1.23456789012345") * Fraction("2.34567890123451") * Fraction("3.45678901234512")
    #expect(path.rate.description == product.rounded(places: 36), "10.01…: the true product has 45 digits")
    #expect(path.rate.magnitude.description.utf8.count == 38 && path.isRounded)
    #expect(path.steps.allSatisfy { !$0.isRounded && !$0.isReversed })
    let amount = "12345678901234567890.12"
    #expect(try path.convert(decimal(amount)).description == (Fraction(amount) * product).rounded(places: 2))
  }

  @Test func `products of up to 38 digits are not marked as rounded`() throws {
    let path = try #require(try table("A B 1.2300000000000000000,B C 2.00000000000000000000").path("A", "C"))
    #expect(path.rate.description == "2.46" && !path.isRounded)
  }

  @Test func `conversions agree with school arithmetic over random paths`() throws {
    var random = SeededGenerator(seed: 6)
    for round in 0..<40 {
      let codes = try RandomRates.codes(Int.random(in: 2...12, using: &random))
      let table = try RateTable(try RandomRates.rates(codes, density: 0.2, &random))
      for from in codes {
        guard let path = try table.path(from: from, to: codes[0]), path.steps.count <= 4 else { continue }
        let amount = RandomRates.amount(digits: 12, &random)
        #expect(
          try path.convert(decimal(amount)).description == once(path, amount), "round \(round) \(path.way) \(amount)")
        #expect(try path.convert(decimal(amount), rounding: .step).description == everyStep(path, amount), "\(amount)")
      }
    }
  }

  @Test func `the trace ends in the value that is rounded`() throws {
    let path = try #require(try table("B A 3,B C 6").path("A", "C"))
    let once = try path.trace(decimal("1.00"))
    #expect(once.map(\.value.description) == ["0." + String(repeating: "3", count: 38), "2.00"])
    #expect(
      once.map(\.isExact) == [false, true], "two is two: what is shown on the way is not what is calculated with")
    let step = try path.trace(decimal("1.00"), rounding: .step)
    #expect(step.map(\.value.description) == ["0.33", "1.98"] && step.map(\.isExact) == [false, true])
    #expect(try path.convert(decimal("1.00")).description == "2.00")
    #expect(try table("").path("A", "A")?.trace(decimal("1")).isEmpty == true)
  }

  @Test func `a result of more than 38 digits is an error`() throws {
    let path = try #require(try table("A B 1000000000000000000000").path("A", "B"))
    #expect(throws: MoneyError.overflow) { try path.convert(decimal("12345678901234567890")) }
    #expect(try path.convert(decimal("1")).description == "1000000000000000000000.00")
  }

  @Test func `a chain of extreme rates is an error and never a trap`() throws {
    let tiny = "0.00000000000000000000000000000000000001"
    let huge = "10000000000000000000000000000000000000"
    for value in [tiny, huge] {
      let chain = try RateTable((1..<200).map { try rate("C\($0 - 1)", "C\($0)", value) })
      #expect(throws: MoneyError.overflow) { try chain.path("C0", "C199") }
      #expect(throws: MoneyError.overflow) { try chain.path("C199", "C0") }
      #expect(try chain.path("C0", "C99")?.steps.count == 99)
    }
    let extreme = try RateTable((1..<200).map { try rate("C\($0 - 1)", "C\($0)", huge) })
    let sales = try [sale("P", "1", "C0"), sale("P", "1", "C198")]
    let total = try TradeBook(rates: extreme, ledger: ProductLedger(sales)).totals(in: currency("C199"))[0]
    #expect(total.remainders.map(\.reason) == [.tooLarge, .tooLarge] && total.amount?.description == "0.00")
    let both = try #require(try table("A B \(tiny),B C \(huge),C D 10").path("A", "D"))
    #expect(both.rate == .one && !both.isRounded)
  }

  private func factor(_ path: ConversionPath) -> Fraction {
    path.steps.reduce(Fraction("1")) { result, step in
      let given = Fraction(step.given.value.description)
      return result * (step.isReversed ? given.inverse : given)
    }
  }

  private func once(_ path: ConversionPath, _ amount: String) -> String {
    (Fraction(amount) * factor(path)).rounded(places: 2)
  }

  private func everyStep(_ path: ConversionPath, _ amount: String) -> String {
    guard !path.steps.isEmpty else { return Fraction(amount).rounded(places: 2) }
    return path.steps.reduce(amount) { value, step in
      let given = Fraction(step.given.value.description)
      return (Fraction(value) * (step.isReversed ? given.inverse : given)).rounded(places: 2)
    }
  }
}
