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
  private var regions = RowBuffer()
  private var locationCount = 0
  private var countries = RowBuffer()
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
      try addRegion(next)
      next += 1
      if slice.isOver() { return false }
    }
    try closeCountry()
    return true
  }

  private func addRegion(_ region: Int) throws(WireError) {
    guard counts[region] > 0, let heading = scan.heading(ofRegion: region) else { return }
    if heading.country != country?.position {
      try closeCountry()
      country = (heading.country, heading.code, heading.countryName)
    }
    try regions.append(of: answer.generation) { row in
      row.writeMap(count: heading.name == nil ? 1 : 2)
      if let name = heading.name { row.writePair("name", name) }
      row.writePair("count", UInt64(counts[region]))
    }
    locationCount += counts[region]
  }

  private func closeCountry() throws(WireError) {
    guard let country else { return }
    try countries.append(of: answer.generation) { row in
      row.writeMap(count: 4)
      row.writePair("name", country.name)
      row.writePair("count", UInt64(locationCount))
      row.writePair("country", country.code)
      row.writeRows("regions", regions)
    }
    total += locationCount
    regions.removeAll()
    (self.country, locationCount) = (nil, 0)
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    reply.writeMap(count: answer.pairs(besides: 2, unknownHours: scan.unknownHours))
    try reply.writeAsOf(of: answer.sources)
    reply.writePair("total", UInt64(total))
    // "countries" comes between the two keys that end every other reply about locations.
    try reply.writeSources(answer.sources)
    reply.writeRows("countries", countries)
    answer.writeGeneration(into: &reply, unknownHours: scan.unknownHours)
  }
}
