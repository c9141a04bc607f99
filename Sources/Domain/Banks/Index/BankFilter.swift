/// Which locations a question is about; what is `nil` does not matter.
package struct BankFilter: Sendable {
  /// A country's code or English name, whatever its case and accents.
  package var country: String?
  /// A region as it is spelt, or whatever its case and accents; the empty text asks for locations without one.
  package var region: String?
  /// A kind.
  package var category: LocationCategory?
  /// A bank, or the part of its name before a hyphen: `swedbank` stands for `swedbank-ee` too.
  package var bank: String?
  /// Only what is known to be open at a moment.
  package var open: OpenAt?

  /// A moment with the zones to look at it in.
  package struct OpenAt: Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    package var moment: Int64
    /// The index's zones.
    package var zones: ZoneTable

    /// Makes a condition.
    package init(moment: Int64, zones: ZoneTable) { (self.moment, self.zones) = (moment, zones) }
  }

  /// Asks for all locations.
  package init(
    country: String? = nil, region: String? = nil, category: LocationCategory? = nil, bank: String? = nil,
    open: OpenAt? = nil
  ) {
    (self.country, self.region, self.category, self.bank, self.open) = (country, region, category, bank, open)
  }
}

/// Why nothing stands under a name that a filter gives: it may be mistyped, and an empty answer would not tell.
package enum BankFilterProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// No location is in a country of that name; what there is.
  case unknownCountry(String, known: [String])
  /// No region of that name is in the country, or in any.
  case unknownRegion(String)
  /// No bank is called so; what there is.
  case unknownBank(String, known: [String])

  /// Code points of a name that a message shows: a single character may have thousands of them.
  private static let shown = 80

  /// The name and what would have been found.
  package var description: String {
    switch self {
    case .unknownCountry(let name, let known): "no country \"\(excerpt(name))\"; there \(listed(known))"
    case .unknownRegion(let name): "no region \"\(excerpt(name))\"; bank.regions lists them"
    case .unknownBank(let name, let known): "no bank \"\(excerpt(name))\"; there \(listed(known))"
    }
  }

  private func excerpt(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.prefix(Self.shown)))
  }

  private func listed(_ names: [String]) -> String {
    names.isEmpty ? "is none" : "are \(names.joined(separator: ", "))"
  }
}
