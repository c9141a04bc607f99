import Base
import TestSupport
import Testing

@Suite struct DecimalTextTests {
  @Test(
    arguments: [
      (44.0, "44.0"), (-33.9, "-33.9"), (0, "0.0"), (0.00001, "0.00001"), (-0.0000123, "-0.0000123"),
      (1e16, "10000000000000000.0"), (1.5e20, "150000000000000000000.0"), (123456.789, "123456.789"),
      (1e-7, "0.0000001"),
      (-1e22, "-10000000000000000000000.0"), (12_345_678_901_234_568, "12345678901234568.0"),
      (.leastNonzeroMagnitude, nil), (.greatestFiniteMagnitude, nil), (.pi * 1e15, nil), (.pi * 1e16, nil),
    ] as [(Double, String?)])
  func `numbers have no exponent and read back equal`(number: Double, expected: String?) {
    let text = decimalText(number)
    if let expected { #expect(text == expected) }
    #expect(!text.contains("e") && text.contains(".") && Double(text) == number)
  }

  @Test func `numbers of every magnitude read back equal`() {
    var generator = SeededGenerator(seed: 7)
    for exponent in -30...30 {
      let power = (0..<abs(exponent)).reduce(1.0) { value, _ in exponent < 0 ? value / 10 : value * 10 }
      for _ in 0..<20 {
        let number = Double.random(in: -10...10, using: &generator) * power
        #expect(Double(decimalText(number)) == number)
      }
    }
  }

  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (394_024, "394,024"), (9_733_276, "9,733,276"),
    (UInt64.max, "18,446,744,073,709,551,615"),
  ])
  func `digits are in groups of three`(count: UInt64, text: String) {
    #expect(groupedText(count) == text)
  }
}
