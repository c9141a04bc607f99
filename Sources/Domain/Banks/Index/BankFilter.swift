@_exported public import Base
package import Coroutines
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
  /// The country, or any, has no region of that name; the first ``mostKnown`` known regions, and how many there are.
  case unknownRegion(String, known: [String], total: Int)
  /// No bank has that name; the known names.
  case unknownBank(String, known: [String])

  /// Most known names that are compared with an unknown one: a fraction of a slice.
  package static let mostKnown = 200
  /// Most code points of a name in a message.
  private static let shown = 80

  /// The name, and the known ones.
  package var description: String {
    switch self {
    case .unknownCountry(let name, let known): "no country \"\(name.excerpt(Self.shown))\"; there \(listed(known))"
    case .unknownRegion(let name, _, _): "no region \"\(name.excerpt(Self.shown))\"; bank.regions lists them"
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
    /// The regions of the index, in the order of ranks.
    fileprivate let all: [HeadingTable.Region]
    /// The positions of those with possible matches, ascending; `nil` for all, so that no lookup is needed.
    fileprivate let chosen: [Int]?
    /// The number of selected regions, some of which may have no match.
    package var regionCount: Int { chosen?.count ?? all.count }
    let banks: Set<Int>?
    /// A bit for the number of each accepted category; `nil` for all.
    let categories: UInt32?
    /// The time at which a match must be open; `nil` if hours do not matter.
    let moment: LocalMoment?

    /// The selected region at an index below ``regionCount``.
    func region(_ index: Int) -> HeadingTable.Region { all[chosen?[index] ?? index] }

    /// Whether the location at `rank` is in one of the selected regions.
    ///
    /// - Complexity: O(log r) in the regions.
    func hasRegion(of rank: Int) -> Bool {
      guard let chosen else { return true }
      let next = partitionPoint(0..<chosen.count) { all[chosen[$0]].ranks.upperBound <= rank }
      return next < chosen.count && all[chosen[next]].ranks.contains(rank)
    }
  }

  /// Resolves the names of a filter.
  ///
  /// A source may have hundreds of thousands of regions, so they are looked through in slices.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank; ``Stopped``.
  /// - Complexity: O(r) in the regions.
  package func selection(_ filter: BankFilter, _ budget: Budget) async throws -> Selection {
    let chosen = try await regionsNamed(in: filter, budget)
    return Selection(
      all: headings.regions, chosen: chosen, banks: try banksNamed(in: filter),
      categories: filter.categories?.reduce(0) { $0 | 1 << UInt32($1.number) },
      moment: filter.open)
  }

  private func regionsNamed(in filter: BankFilter, _ budget: Budget) async throws -> [Int]? {
    var countries: Set<Int>?
    if let country = filter.country, let codes = filter.countryCodes {
      let wanted = headings.countries.indices.filter { codes.contains(headings.countries[$0].code) }
      guard !wanted.isEmpty else {
        throw BankFilterProblem.unknownCountry(country, known: headings.countries.map(\.name))
      }
      countries = Set(wanted)
    }
    guard filter.region != nil || countries != nil else { return nil }
    let found = try await headings.regions(called: filter.region, within: countries, budget)
    guard let region = filter.region, !region.isEmpty, found.isEmpty else { return found }
    var (known, total) = ([String](), 0)
    for position in try await headings.regions(called: nil, within: countries, budget) {
      try await budget.check()
      guard let name = headings.regions[position].name else { continue }
      if known.count < BankFilterProblem.mostKnown { known.append(name) }
      total += 1
    }
    throw BankFilterProblem.unknownRegion(region, known: known, total: total)
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
