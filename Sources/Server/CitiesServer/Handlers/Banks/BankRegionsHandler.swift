import Banks
import CBOR
import CitiesProtocol
import Coroutines
import FrameService

/// `bank.regions`: the countries and their regions, with the number of locations in each.
final class BankRegionsHandler: RequestHandler {
  private let banks: ServedBanks

  init(_ banks: ServedBanks) { self.banks = banks }

  func answer(_ params: BankRegions, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let answer = try banks.answer(for: caller, params.filter)
    return .computed(from: [answer.generation]) { budget in try await Self.regions(answer, budget) }
  }

  /// Counts the locations of each region, then writes the regions and countries that have any.
  static func regions(_ answer: BankAnswer, _ budget: Budget) async throws -> ResultWriter {
    let selection = try await answer.selection(budget)
    var counts: [(region: Int, count: Int)] = []
    // Copying them as they grow would take longer than a slice.
    counts.reserveCapacity(selection.regionCount)
    let unknownHours = try await answer.index.forEachByHeading(selection, budget) { _, region in
      if counts.last?.region != region { counts.append((region, 0)) }
      counts[counts.count - 1].count += 1
    }
    let headings = try await Headings(counts, selection, answer, budget)
    return mapWriter(BankRegions.Reply.CodingKeys.self) { (map) throws(WireError) in
      map.write(.asOf, answer.sources.asOf)
      map.write(.total, headings.total)
      try map.write(.sources, encoding: answer.sources)
      headings.countries.write(.countries, into: &map)
      map.write(.generation, answer.generation.name)
      map.write(.unknownHours, unknownHours)
    }
  }
}

/// The countries and regions with locations, in wire format.
private struct Headings: ~Copyable {
  private(set) var countries = RowBuffer()
  private(set) var total = 0
  private let answer: BankAnswer
  /// The current country.
  private var country: (position: Int, code: String, name: String)?
  private var regions = RowBuffer()
  private var locationCount = 0

  /// Writes the headings of `selection` that `counts` has.
  init(
    _ counts: [(region: Int, count: Int)], _ selection: BankIndex.Selection, _ answer: BankAnswer, _ budget: Budget
  ) async throws {
    self.answer = answer
    for (region, count) in counts {
      try add(region, count, selection)
      try await budget.check(64)
    }
    try closeCountry()
  }

  private mutating func add(_ region: Int, _ count: Int, _ selection: BankIndex.Selection) throws(WireError) {
    guard let heading = answer.index.heading(ofRegion: region, selection) else { return }
    if heading.country != country?.position {
      try closeCountry()
      country = (heading.country, heading.code, heading.countryName)
    }
    try regions.append(of: answer.generation) { row in
      row.writeMap(BankRegions.Region.CodingKeys.self) { region in
        region.write(.name, heading.name)
        region.write(.count, count)
      }
    }
    locationCount += count
  }

  private mutating func closeCountry() throws(WireError) {
    guard let country else { return }
    try countries.append(of: answer.generation) { row in
      row.writeMap(BankRegions.Country.CodingKeys.self) { map in
        map.write(.name, country.name)
        map.write(.count, locationCount)
        map.write(.country, country.code)
        regions.write(.regions, into: &map)
      }
    }
    total += locationCount
    regions.removeAll()
    (self.country, locationCount) = (nil, 0)
  }
}
