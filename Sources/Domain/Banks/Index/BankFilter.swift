@_exported public import Base
import Text

/// The conditions of a query; `nil` means no condition.
package struct BankFilter: Sendable {
  /// A country's code, number or name in any language, ignoring case, accents and punctuation; `Congo` means both.
  package var country: String?
  /// A region, spelt exactly or ignoring case and accents; empty for locations without one.
  package var region: String?
  /// The accepted kinds.
  package var categories: Set<LocationCategory>?
  /// A bank, or the part of its name before a hyphen: `swedbank` also matches `swedbank-ee`.
  package var bank: String?
  /// Only locations known to be open at a moment.
  package var open: LocalMoment?

  /// A filter for all locations, unless given conditions.
  package init(
    country: String? = nil, region: String? = nil, categories: Set<LocationCategory>? = nil, bank: String? = nil,
    open: LocalMoment? = nil
  ) {
    (self.country, self.region, self.categories, self.bank, self.open) = (country, region, categories, bank, open)
  }

  /// The codes that ``country`` may mean; one may be unassigned, as a feed may be configured with any.
  var countryCodes: Set<TextKey>? {
    country.map { name in
      Set((CountryName.codes(called: name) + (name.utf8.count == 2 ? [name.uppercased()] : [])).map { TextKey($0) })
    }
  }
}

/// Why a name in a filter matches nothing: an empty answer would hide a typo.
package enum BankFilterProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// No location is in a country of that name; the countries with locations.
  case unknownCountry(String, known: [String])
  /// The country, or any, has no region of that name; the known regions.
  case unknownRegion(String, known: [String])
  /// No bank has that name; the known names.
  case unknownBank(String, known: [String])

  /// Most code points of a name in a message.
  private static let shown = 80

  /// The name, and the known ones.
  package var description: String {
    switch self {
    case .unknownCountry(let name, let known): "no country \"\(name.excerpt(Self.shown))\"; there \(listed(known))"
    case .unknownRegion(let name, _): "no region \"\(name.excerpt(Self.shown))\"; bank.regions lists them"
    case .unknownBank(let name, let known): "no bank \"\(name.excerpt(Self.shown))\"; there \(listed(known))"
    }
  }

  private func listed(_ names: [String]) -> String {
    names.isEmpty ? "is none" : "are \(names.joined(separator: ", "))"
  }
}

extension BankIndex {
  /// A filter with its names resolved, so that only numbers are compared.
  package struct Selection {
    /// The regions with possible matches, in the order of ranks.
    let regions: [HeadingTable.Region]
    /// The number of selected regions, some of which may have no match.
    package var regionCount: Int { regions.count }
    /// Whether ``regions`` are all regions, so that no lookup is needed.
    let hasAllRegions: Bool
    let banks: Set<Int>?
    /// A bit for the number of each accepted category; `nil` for all.
    let categories: UInt32?
    /// The time at which a match must be open; `nil` if hours do not matter.
    let moment: LocalMoment?

    /// Whether the location at `rank` is in one of ``regions``.
    ///
    /// - Complexity: O(log r) in the regions.
    func hasRegion(of rank: Int) -> Bool {
      if hasAllRegions { return true }
      let next = partitionPoint(0..<regions.count) { regions[$0].ranks.upperBound <= rank }
      return next < regions.count && regions[next].ranks.contains(rank)
    }
  }

  /// Resolves the names of a filter.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  /// - Complexity: O(r) in the regions.
  package func selection(_ filter: BankFilter) throws(BankFilterProblem) -> Selection {
    let regions = try regionsNamed(in: filter)
    return Selection(
      regions: regions, hasAllRegions: filter.country == nil && filter.region == nil, banks: try banksNamed(in: filter),
      categories: filter.categories?.reduce(0) { $0 | 1 << UInt32($1.number) },
      moment: filter.open)
  }

  private func regionsNamed(in filter: BankFilter) throws(BankFilterProblem) -> [HeadingTable.Region] {
    let folder = CaseFolder()
    var countries: [Int]?
    if let country = filter.country, let codes = filter.countryCodes {
      let wanted = headings.countries.indices.filter { codes.contains(headings.countries[$0].code) }
      guard !wanted.isEmpty else { throw .unknownCountry(country, known: headings.countries.map(\.name)) }
      countries = wanted
    }
    guard let region = filter.region else {
      guard let countries else { return headings.regions }
      return headings.regions.filter { countries.contains($0.country) }
    }
    let named = headings.regions(called: region, within: countries, folder)
    guard !named.isEmpty || region.isEmpty else {
      let known = headings.regions.filter { countries?.contains($0.country) ?? true }.compactMap(\.name)
      throw .unknownRegion(region, known: known)
    }
    return named
  }

  private func banksNamed(in filter: BankFilter) throws(BankFilterProblem) -> Set<Int>? {
    guard let bank = filter.bank else { return nil }
    let wanted = banks(called: bank)
    guard !wanted.isEmpty else { throw .unknownBank(bank, known: banks) }
    return Set(wanted)
  }

  /// The positions of the banks named `text`, or with a name that starts with `text` and a hyphen.
  private func banks(called text: String) -> [Int] {
    let longest = lowercasedBanks.lazy.map(\.utf8.count).max() ?? 0
    guard text.utf8.count <= CaseFolder.maximumRatio * longest else { return [] }
    let wanted = text.lowercased()
    return lowercasedBanks.indices.filter {
      lowercasedBanks[$0] == wanted || lowercasedBanks[$0].hasPrefix("\(wanted)-")
    }
  }

  /// Whether the location at `rank` is selected, regardless of its region; the most expensive test comes last.
  ///
  /// Counts in `unknownHours` a location excluded only because its hours or its zone are unknown.
  func isSelected(_ rank: Int, _ selection: Selection, unknownHours: inout Int) -> Bool {
    if let wanted = selection.categories, wanted >> categories[rank] & 1 == 0 { return false }
    if let banks = selection.banks, !banks.contains(bankOfRank[rank]) { return false }
    guard let moment = selection.moment else { return true }
    switch openState(at: rank, moment) {
    case .yes: return true
    case .no: return false
    case .unknown:
      unknownHours += 1
      return false
    }
  }
}
