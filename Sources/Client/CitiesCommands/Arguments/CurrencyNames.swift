internal import ArgumentParser
internal import CitiesProtocol

/// Reads codes of currencies in any case; whether there is such a currency is the server's to say.
enum CurrencyNames {
  /// One code.
  static func one(_ option: String, _ word: String) throws -> String {
    let code = ArgumentRewriter.unmarked(word).uppercased()
    guard !code.isEmpty, !code.contains(",") else { throw ValidationError("\(option) wants one currency, such as EUR") }
    return code
  }

  /// One code or several with commas between them; `nil` if there is no word.
  static func list(_ option: String, _ word: String?) throws -> [String]? {
    guard let word else { return nil }
    let codes = try OutputOptions.names(word).map { try one(option, $0) }
    guard codes.count <= ProductList.maximumCurrencies else {
      throw ValidationError("\(option) wants at most \(ProductList.maximumCurrencies) currencies, not \(codes.count)")
    }
    if let twice = codes.first(where: { code in codes.count { $0 == code } > 1 }) {
      throw ValidationError("\(option) names \(twice) twice")
    }
    return codes
  }
}
