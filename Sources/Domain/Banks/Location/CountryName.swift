/// The English names of the countries that the shipped feeds cover.
///
/// A feed may be configured for any country: one without a name here is shown and ordered by its code.
package enum CountryName {
  private static let names = ["BA": "Bosnia and Herzegovina", "EE": "Estonia", "LT": "Lithuania", "LV": "Latvia"]

  /// The name of the country with a code, or the code itself.
  package static func name(of code: String) -> String { names[code] ?? code }
}
