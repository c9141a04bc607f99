package import Banks
import CBOR
package import CitiesProtocol
import Geodesy

extension ResidentBanks {
  /// Proves everything that the importer promises: each row is the encoding of a location that the rules accept under an id
  /// of its own, and every other section is what these rows give.
  ///
  /// - Throws: ``ResidentError`` with the section and the first contradiction in it.
  /// - Complexity: O(n log n) for n locations.
  package func verify() throws(ResidentError) {
    var locations: [(id: String, location: BankLocation)] = []
    var ids: Set<String> = []
    for rank in 0..<count {
      guard let row = try? CBORDecoder().decode(BankRow.self, from: index.row(at: rank)) else {
        throw contradiction("section ROWS, rank \(rank): the row is no encoded location")
      }
      let location = BankLocation(row)
      if let problem = BankRule.problem(with: location) {
        throw contradiction("section ROWS, rank \(rank): \(problem)")
      }
      guard row.id.hasPrefix("\(row.bank)-"), ids.insert(row.id).inserted else {
        throw contradiction("section ROWS, rank \(rank): \"\(row.id.prefix(80))\" is not an id of its own")
      }
      locations.append((row.id, location))
    }
    let image: ResidentImage
    do {
      image = try Self.image(ofIdentified: locations, fingerprint: file.header.fingerprint, feeds: summary.feeds)
    } catch {
      throw contradiction("\(error)")
    }
    if let difference = image.difference(from: file) { throw contradiction(difference) }
  }

  private func contradiction(_ problem: String) -> ResidentError { file.error(.contents(problem)) }
}

extension BankLocation {
  /// The location that a row of the wire describes; the source's own id is part of the row's.
  package init(_ row: BankRow) {
    let kinds: [BankRow.Kind: LocationKind] = [.branch: .branch, .atm: .atm, .bna: .bna]
    self.init(
      bank: row.bank, kind: kinds[row.kind] ?? .unknown(row.code), name: row.name, address: row.address,
      region: row.region, country: row.country, point: GeoPoint(latitude: row.lat, longitude: row.lon), zone: row.zone)
    (availability, info, phone, email, website) = (row.availability, row.info, row.phone, row.email, row.website)
    (noCash, coinStation) = (row.noCash, row.coinStation)
    hours = row.hours.map { stretches in
      WeeklyHours(
        stretches.compactMap { WeeklyHours.Stretch(weekday: $0.day, opens: $0.opens, closes: $0.closes) })
    }
  }
}
