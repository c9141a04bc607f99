extension CityFind {
  /// The most areas in a reply.
  public static let maximumAreas = 20
}

extension CityTime {
  /// The most places in a request.
  public static let maximumPlaces = 100
}

extension FeedReport {
  /// The most records in ``notes``.
  public static let maximumNotes = 20
}

extension ProductList {
  /// The default currency.
  public static let defaultCurrency = "EUR"
  /// The most currencies.
  public static let maximumCurrencies = 16
}

extension ProductGet {
  /// Valid lengths of a product's code in bytes of UTF-8; for others, the error is `invalid-params`.
  public static let codeLength = 1...128
}
