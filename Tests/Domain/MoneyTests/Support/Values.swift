import TestSupport

@testable import Money

func decimal(_ text: String) throws -> ExactDecimal { try ExactDecimal(parsing: text) }
func currency(_ text: String) throws -> CurrencyCode { try CurrencyCode(text) }

func rate(_ from: String, _ to: String, _ value: String) throws -> Rate {
  try Rate(from: currency(from), to: currency(to), value: decimal(value))
}

func sale(_ product: String, _ amount: String, _ code: String) throws -> Transaction {
  Transaction(product: try ProductCode(product), amount: try decimal(amount), currency: try currency(code))
}

extension ExactDecimal {
  /// The value with the other sign; zero stays zero.
  static prefix func - (value: ExactDecimal) -> ExactDecimal {
    ExactDecimal(magnitude: value.magnitude, scale: value.scale, isNegative: !value.isNegative)
  }

  /// The value with exactly `places` digits after the point, rounded half to even.
  func rounded(places: Int) throws(MoneyError) -> ExactDecimal {
    try scaled(by: .one, over: .one, places: places).value
  }
}

/// A table of the lines `EUR USD 1.359`, separated by commas.
func table(_ lines: String) throws -> RateTable {
  try RateTable(
    lines.split(separator: ",").map { line in
      let words = line.split(separator: " ").map(String.init)
      return try rate(words[0], words[1], words[2])
    })
}

extension RateTable {
  func path(_ from: String, _ to: String) throws -> ConversionPath? {
    try path(from: currency(from), to: currency(to))
  }

  /// The path as `EUR>USD<CAD`, where `<` marks a reversed rate; `-` if there is none.
  func way(_ from: String, _ to: String) throws -> String { try path(from, to)?.way ?? "-" }
}

extension ConversionPath {
  /// The currencies on the way, both ends included.
  var stops: [CurrencyCode] { [from] + steps.map(\.to) }

  /// The number of reversed rates.
  var reversedCount: Int { steps.count { $0.isReversed } }

  var way: String { steps.reduce(from.description) { "\($0)\($1.isReversed ? "<" : ">")\($1.to)" } }
}

/// Rates between made-up currencies: pairs are given one way, both ways or not at all, loops do not agree, and some
/// currencies are islands.
enum RandomRates {
  static func codes(_ count: Int) throws -> [CurrencyCode] {
    try (0..<count).map { index in
      let letters = [index * 7 % 26, index / 26, index % 26].map { Character(UnicodeScalar(UInt8(65 + $0))) }
      return try CurrencyCode(String(letters))
    }
  }

  /// Rates of `codes`, of which each pair is given with the probability `density`.
  static func rates(_ codes: [CurrencyCode], density: Double, _ random: inout SeededGenerator) throws -> [Rate] {
    var rates: [Rate] = []
    for from in codes {
      for to in codes where from != to && Double.random(in: 0..<1, using: &random) < density {
        rates.append(try Rate(from: from, to: to, value: decimal(text(&random))))
      }
    }
    return rates
  }

  /// A rate's text: up to 4 digits before the point and up to 14 after it, never zero.
  static func text(_ random: inout SeededGenerator) -> String {
    let places = Int.random(in: 0...14, using: &random)
    let fraction = (0..<places).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
    let whole = Int.random(in: 0...9, using: &random) < 7 ? Int.random(in: 0...3, using: &random) : 4_711
    let text = places == 0 ? "\(whole)" : "\(whole).\(fraction)"
    return text.contains { $0 != "0" && $0 != "." } ? text : "0.1"
  }

  /// An amount's text: up to `digits` digits and up to 4 places, of either sign.
  static func amount(digits: Int, _ random: inout SeededGenerator) -> String {
    let places = Int.random(in: 0...4, using: &random)
    let all = (0...Int.random(in: 0..<digits, using: &random)).map { _ in "\(Int.random(in: 0...9, using: &random))" }
    let fraction = (0..<places).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
    return (Bool.random(using: &random) ? "-" : "") + all.joined() + (places == 0 ? "" : ".\(fraction)")
  }
}
