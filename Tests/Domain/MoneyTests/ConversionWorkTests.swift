import Money
import TestSupport
import Testing

@Suite("the work of a conversion")
struct ConversionWorkTests {
  private func chain(_ count: Int, _ value: String, reversed: Bool = false) throws -> RateTable {
    try RateTable(
      (0..<count).map { step in
        let (one, next) = ("C\(step)", "C\(step + 1)")
        return try reversed ? rate(next, one, value) : rate(one, next, value)
      })
  }

  @Test func `it is the digits of the product at each step, and 38 more for a reversed rate`() throws {
    #expect(try chain(1, "1.25").work(from: currency("C0"), to: currency("C1")) == 3)
    #expect(try chain(3, "1.25").work(from: currency("C0"), to: currency("C3")) == 3 + 6 + 9)
    #expect(try chain(3, "1.25", reversed: true).work(from: currency("C0"), to: currency("C3")) == 18 + 3 * 38)
    #expect(try chain(20, "1.25").work(from: currency("C0"), to: currency("C20")) == 3 * 78 + 8 * 38)
    for (from, to) in [("C0", "C0"), ("C0", "XXX"), ("XXX", "C0")] {
      #expect(try chain(3, "2").work(from: currency(from), to: currency(to)) == 0)
    }
  }

  @Test(arguments: [1, 40, 8_192]) func `counting ends soon after the maximum`(maximum: Int) throws {
    let table = try chain(500, "1.23456", reversed: true)
    let (from, to) = (try currency("C0"), try currency("C500"))
    let work = table.work(from: from, to: to, upTo: maximum)
    #expect(work > maximum && work <= maximum + 2 * 38)
    #expect(table.work(from: from, to: to) > 500 * 38)
    #expect(throws: MoneyError.tooExpensive(from: from, to: to)) { try table.affordableWork(from: from, to: to) }
  }

  @Test func `a hundred rates of six digits are affordable, and convert as they always did`() throws {
    let table = try chain(100, "1.00001")
    let (from, to) = (try currency("C0"), try currency("C100"))
    let work = try table.affordableWork(from: from, to: to)
    #expect(work <= RateTable.maximumWork && work == table.work(from: from, to: to))
    #expect(try table.path(from: from, to: to)?.steps.count == 100)
    var converter = CurrencyConverter(table, to: to)
    #expect(try converter.checkWork(from: from) == work)
    #expect(converter.convert(try decimal("1000"), from: from) == .converted(try decimal("1001.00")))
    #expect(try converter.checkWork(from: from) == 0)
  }
}
