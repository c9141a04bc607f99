internal import ArgumentParser

/// `product`: the commands about products.
struct ProductGroup: VerbGroup {
  static let verbs: [any Verb.Type] = [ProductListVerb.self, ProductShowVerb.self]

  static let configuration = CommandConfiguration.group(
    "product", verbs,
    abstract: "Ask about products and the totals of their transactions.",
    discussion: """
      Totals are exact: each transaction is converted in full precision and rounded to two places, half to even, and the \
      total is the sum of what is shown. What cannot be converted is never guessed: it is listed by currency, and the \
      exit status is 4. In JSON amounts are strings, since most readers would convert numbers to floats.

        citiesctl product list --in EUR,USD
        citiesctl product show T2006 --explain
      """)
}

/// `rate`: the commands about currency rates.
struct RateGroup: VerbGroup {
  static let verbs: [any Verb.Type] = [RateListVerb.self, RateConvertVerb.self]

  static let configuration = CommandConfiguration.group(
    "rate", verbs,
    abstract: "Ask about currency rates, and convert amounts.",
    discussion: """
      A rate that is not given is derived from others: with the fewest reversed rates, then the fewest conversions, \
      then by currency codes. A path is written as USD>EUR>CAD, with < where the given rate leads the other way.

        citiesctl rate list --base EUR
        citiesctl rate convert 12.50 USD EUR --explain
      """)
}
