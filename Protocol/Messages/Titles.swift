extension CityRow {
  /// The title: `name, country`, or the name alone.
  public var title: String { country.isEmpty ? name : "\(name), \(country)" }
}

extension BankRow {
  /// The title for display and sorting: the name, or else the address.
  public var title: String { name ?? address }
}

extension BankRow.Kind {
  /// The kinds of this build.
  public static let all: [BankRow.Kind] = [.branch, .atm, .bna, .unknown]
}

extension ResolvedCity {
  /// How a city was found.
  public typealias Kind = CityFind.Kind
}
