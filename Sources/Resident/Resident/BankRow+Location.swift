package import Banks
package import CitiesProtocol
import Geodesy

extension BankRow {
  /// The wire's form of a location that has `id`.
  package init(id: String, _ location: BankLocation) {
    self.init(
      id: id, bank: location.bank, kind: Kind(location.kind), name: location.name, address: location.address,
      region: location.region, country: location.country, countryName: CountryName.name(of: location.country),
      lat: location.point.latitude, lon: location.point.longitude, zone: location.zone)
    if case .unknown(let code) = location.kind { self.code = code }
    (availability, info) = (location.availability, location.info)
    (noCash, coinStation) = (location.noCash, location.coinStation)
    (phone, email, website) = (location.phone, location.email, location.website)
    hours = location.hours?.stretches.map { OpeningHours(day: $0.weekday, opens: $0.opens, closes: $0.closes) }
  }
}

extension BankRow.Kind {
  fileprivate init(_ kind: LocationKind) { self.init(rawValue: kind.category.rawValue) }
}
