import Columns
import Text

extension BankIndex {
  /// A filter whose names have been looked up: what is left is comparing numbers.
  struct Selection {
    /// The regions that may have matches, in the order of ranks.
    let regions: [HeadingTable.Region]
    /// Whether ``regions`` are all there are, so that nothing need be looked up.
    let hasAllRegions: Bool
    let banks: Set<Int>?
    let category: Int?
    /// By zone, the minute of the week that its clocks show; `nil` if hours do not matter.
    let clocks: [Int?]?
  }

  /// Looks up the names of a filter.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(r) in the regions.
  func selection(_ filter: BankFilter) throws(BankFilterProblem) -> Selection {
    let regions = try regionsNamed(in: filter)
    return Selection(
      regions: regions, hasAllRegions: filter.country == nil && filter.region == nil, banks: try banksNamed(in: filter),
      category: filter.category?.number,
      clocks: filter.open.map { $0.zones.minutesOfWeek(at: $0.moment) })
  }

  private func regionsNamed(in filter: BankFilter) throws(BankFilterProblem) -> [HeadingTable.Region] {
    let folder = Folder()
    var regions = headings.regions
    if let country = filter.country {
      let wanted = headings.countries(called: country, folder)
      guard !wanted.isEmpty else { throw .unknownCountry(country, known: headings.countries.map(\.name)) }
      regions.removeAll { !wanted.contains($0.country) }
    }
    guard let region = filter.region else { return regions }
    let named = headings.regions(called: region, in: regions, folder)
    guard !named.isEmpty || region.isEmpty else { throw .unknownRegion(region) }
    return named
  }

  private func banksNamed(in filter: BankFilter) throws(BankFilterProblem) -> Set<Int>? {
    guard let bank = filter.bank else { return nil }
    let wanted = banks.indices.filter {
      let name = banks[$0].lowercased()
      return name == bank.lowercased() || name.hasPrefix("\(bank.lowercased())-")
    }
    guard !wanted.isEmpty else { throw .unknownBank(bank, known: banks) }
    return Set(wanted)
  }

  /// Whether the location at `rank` is selected, its region apart; the dearest question comes last.
  func isSelected(_ rank: Int, _ selection: Selection) -> Bool {
    if let category = selection.category, categories[rank] != category { return false }
    if let banks = selection.banks, !banks.contains(bankOfRank[rank]) { return false }
    guard let clocks = selection.clocks else { return true }
    return openState(at: rank, clocks: clocks) == .yes
  }
}
