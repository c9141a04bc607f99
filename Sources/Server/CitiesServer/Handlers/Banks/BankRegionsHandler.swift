import Banks
import CBOR
import CitiesProtocol
import FrameService
import Resident

/// `bank.regions`: the countries with their regions, and how many locations are under each.
final class BankRegionsHandler: RequestHandler {
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: BankFeeds

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: BankFeeds) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ params: BankRegions, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let generation = try banks.generation(for: caller, named: nil)
    let question = try BankQuestion(params.filter, generation.data.calendar)
    let answer = BankAnswer(generation, question, feeds)
    let scan = try answer.select { (index, filter) throws(BankFilterProblem) in try index.headingScan(filter) }
    return .sliced(BankRegionsWork(scan, answer))
  }
}

/// Counts the locations of each region, then writes the headings that are not empty.
final class BankRegionsWork: SlicedWork {
  private let answer: BankAnswer
  private var scan: HeadingScan
  private var counts: [Int]
  private var isCounted = false
  private var next = 0
  /// The country that is being written, and what is written of it.
  private var country: (position: Int, code: String, name: String)?
  private var regions = CBORWriter()
  private var regionCount = 0
  private var locationCount = 0
  private var countries = CBORWriter()
  private var countryCount = 0
  private var total = 0

  init(_ scan: HeadingScan, _ answer: BankAnswer) {
    (self.scan, self.answer) = (scan, answer)
    counts = [Int](repeating: 0, count: scan.regionCount)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while !isCounted {
      isCounted = !scan.step { counts[$1] += 1 }
      if slice.isOver() { return false }
    }
    while next < counts.count {
      addRegion(next)
      next += 1
      if slice.isOver() { return false }
    }
    closeCountry()
    return true
  }

  private func addRegion(_ region: Int) {
    guard counts[region] > 0, let heading = scan.heading(ofRegion: region) else { return }
    if heading.country != country?.position {
      closeCountry()
      country = (heading.country, heading.code, heading.countryName)
    }
    regions.writeMap(count: heading.name == nil ? 1 : 2)
    if let name = heading.name {
      regions.writePair("name", name)
    }
    regions.writePair("count", UInt64(counts[region]))
    regionCount += 1
    locationCount += counts[region]
  }

  private func closeCountry() {
    guard let country else { return }
    countries.writeMap(count: 4)
    countries.writePair("name", country.name)
    countries.writePair("count", UInt64(locationCount))
    countries.writePair("country", country.code)
    countries.writeKey("regions")
    countries.writeArray(count: regionCount)
    regions.withUnsafeBytes { countries.writeEncoded($0) }
    countryCount += 1
    total += locationCount
    regions.removeAll()
    (self.country, regionCount, locationCount) = (nil, 0, 0)
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    reply.writeMap(count: answer.pairs(besides: 2, unknownHours: scan.unknownHours))
    try answer.writeAsOf(into: &reply)
    reply.writePair("total", UInt64(total))
    // "countries" comes between the two keys that end every other reply about locations.
    try answer.writeSources(into: &reply)
    reply.writeKey("countries")
    reply.writeArray(count: countryCount)
    countries.withUnsafeBytes { reply.writeEncoded($0) }
    answer.writeGeneration(into: &reply, unknownHours: scan.unknownHours)
  }
}
