/// Why a number, a code, a rate or a set of rates was refused; without a position, which the caller knows.
package enum MoneyError: Error, Hashable, Sendable {
  /// A text is not a plain decimal: an excerpt of it, and its fault.
  case malformedNumber(String, reason: String)
  /// A result has more than 38 digits, or exceeds every scale.
  case overflow
  /// The divisor is zero.
  case divisionByZero
  /// A text is not a currency code: an excerpt of it.
  case malformedCurrency(String)
  /// A text is not a product code: an excerpt of it, and its fault.
  case malformedProduct(String, reason: String)
  /// A rate is zero or negative.
  case rateNotPositive(from: CurrencyCode, to: CurrencyCode, ExactDecimal)
  /// A rate from a currency to itself is not 1.
  case rateToItself(CurrencyCode, ExactDecimal)
  /// A rate table has too many currencies: their number.
  case tooManyCurrencies(Int)
  /// The number of stored routes does not match the pairs of currencies.
  case misfittingRoutes(expected: Int, found: Int)

  /// A conversion along more rates than ``RateTable/maximumWork`` permits.
  case tooExpensive(from: CurrencyCode, to: CurrencyCode)

  /// The start of an untrusted text, quoted, for one line of a message.
  package static func excerpt(of text: some StringProtocol) -> String {
    let limit = 48
    let scalars = text.unicodeScalars.prefix(limit + 1)
    let shown = scalars.prefix(limit).map { $0.escaped(asASCII: false) }.joined()
    return "\"\(shown)\(scalars.count > limit ? "…" : "")\""
  }
}

extension MoneyError: CustomStringConvertible {
  /// The found and the expected value, in one line.
  package var description: String {
    switch self {
    case .malformedNumber(let text, let reason): "\(text) is not a decimal number: \(reason)"
    case .overflow: "the result has more than 38 digits"
    case .divisionByZero: "a division by zero"
    case .malformedCurrency(let text):
      "\(text) is not a currency code: expected a letter and up to 7 letters and digits, such as EUR"
    case .malformedProduct(let text, let reason): "\(text) is not a product code: \(reason)"
    case .rateNotPositive(let from, let to, let rate): "the rate from \(from) to \(to) is \(rate): expected more than 0"
    case .rateToItself(let currency, let rate): "the rate from \(currency) to itself is \(rate): expected 1"
    case .tooManyCurrencies(let count):
      "\(count) currencies have rates: at most \(RateTable.maximumCurrencies) are served"
    case .misfittingRoutes(let expected, let found): "\(found) stored stops: expected \(expected), one for each pair"
    case .tooExpensive(let from, let to):
      "converting \(from) to \(to) takes too many rates, or rates of too many digits"
    }
  }
}
