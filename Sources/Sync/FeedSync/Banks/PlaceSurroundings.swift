import Banks
import Cities
import CivilTime
import Countries
import Geodesy
package import Resident
import Synchronization
import Text

/// What the list of cities and the map of countries say of the place of a location.
///
/// `Sendable` because all that it remembers is used under a lock: feeds are imported at the same time.
package final class PlaceSurroundings: @unchecked Sendable {
  /// The distance in metres within which a city determines the zone of a place.
  private static let reach = 50_000.0

  private let lock = Mutex(())
  private let zones: ZoneFolder
  private let open: () throws(ResidentError) -> ResidentCities?
  private lazy var cities = openCities()
  private lazy var countryZones = readCountryZones()
  private var rules: [TextKey: ZoneRules?] = [:]
  private var hasOneZone: [TextKey: Bool] = [:]
  private var neighbours = Neighbours()
  private var failure: FeedError?

  /// Takes the rules of zones from a folder, and the cities from what `open` finds when they are needed.
  package init(zones: ZoneFolder, open: @escaping () throws(ResidentError) -> ResidentCities? = { nil }) {
    (self.zones, self.open) = (zones, open)
  }

  /// Takes the cities that the server takes: those in the state folder, else the installed ones.
  package convenience init(state: StateFolder, zones: ZoneFolder = .system) {
    self.init(zones: zones) { () throws(ResidentError) in
      let kind = ResidentCities.kind
      if let folder = try? state.open() {
        let own = try Self.cities { () throws(ResidentError) in
          try ResidentFile(in: folder, kind: kind, verify: .onUse)
        }
        if let own { return own }
      }
      for path in InstalledFiles.places(of: "share/cities/\(kind.installedName)") {
        let installed = try Self.cities { () throws(ResidentError) in
          try ResidentFile(path: path, kind: kind, verify: .onUse)
        }
        if let installed { return installed }
      }
      return nil
    }
  }

  /// The cities of a file; `nil` if there is none, or a damaged one, which the server does not take either.
  private static func cities(
    of open: () throws(ResidentError) -> ResidentFile
  ) throws(ResidentError) -> ResidentCities? {
    do throws(ResidentError) { return try ResidentCities(file: open()) } catch {
      guard case .system = error.fault else { return nil }
      throw error
    }
  }

  private func openCities() -> ResidentCities? {
    do throws(ResidentError) { return try open() } catch {
      failure = FeedError(error)
      return nil
    }
  }

  /// Opens the list of cities, if there is one.
  ///
  /// - Throws: ``FeedError`` if a file could not be read so far: without it, what is unknown would look like what is
  ///   known.
  func check() throws(FeedError) {
    let found = lock.withLock { _ in
      _ = cities
      return failure
    }
    if let found { throw found }
  }

  /// The generation of the list of cities, on which all answers depend.
  var identity: [String] { lock.withLock { _ in cities.map { ["cities", "\($0.generation)"] } ?? [] } }

  /// Sets the time zone of `location` and marks a suspicious position, which is returned in words.
  ///
  /// The zone is that of the nearest city if that is near and in the location's country, else the one it has, unless
  /// the zones of the country differ.
  func describe(_ location: inout BankLocation) -> String? {
    lock.withLock { _ in describeLocked(&location) }
  }

  private func describeLocked(_ location: inout BankLocation) -> String? {
    if let zone = zone(ofCityNear: location.point, in: location.country) {
      if rules(of: zone) != nil { location.zone = zone } else { setCountryZone(&location) }
      return nil
    }
    setCountryZone(&location)
    let (map, point) = (CountryMap.shipped, location.point)
    guard map.isNear(location.country, point) == false else { return nil }
    location.isSuspicious = true
    let swapped = GeoPoint(latitude: point.longitude, longitude: point.latitude)
    let isSwapped = map.isNear(location.country, swapped) == true
    return
      "the position \"\(point.latitude),\(point.longitude)\" is far outside \(CountryName.name(of: location.country))"
      + (isSwapped ? ": latitude and longitude seem to be exchanged" : "")
  }

  /// The zone of the nearest city, if that is within reach and in `country`.
  private func zone(ofCityNear point: GeoPoint, in country: String) -> String? {
    guard let cities else { return nil }
    let search = cities.index.nearSearch(point)
    search.begin(limit: 1, radius: Self.reach, into: &neighbours)
    while !search.advance(leaves: 1_000, into: &neighbours) {}
    guard neighbours.count > 0 else { return nil }
    let (rank, letters) = (neighbours[0].item, country.utf8.reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
    guard cities.index.isCity(rank, in: letters) else { return nil }
    let zone = String(decoding: cities.index.surroundings(of: rank).zone, as: UTF8.self)
    // A damaged block reads as zeros.
    return cities.file.hasFaulted ? nil : zone
  }

  private func rules(of zone: String) -> ZoneRules? {
    if let known = rules[zone] { return known }
    let found = read { () throws(ZoneFolderError) in try zones.rules(for: zone) }
    rules[zone] = .some(found)
    return found
  }

  /// The result of `body`, which reads the folder of zones; `nil` if a file is missing, wrong, or cannot be read now.
  private func read<Value>(_ body: () throws(ZoneFolderError) -> Value) -> Value? {
    do throws(ZoneFolderError) { return try body() } catch {
      failure = failure ?? error.cause.map(FeedError.init)
      return nil
    }
  }

  private func setCountryZone(_ location: inout BankLocation) {
    let country = location.country
    if hasOneZone[country] == nil {
      let all = (countryZones[country] ?? []).map { rules(of: $0) }
      hasOneZone[country] = all.allSatisfy { zone in zone.flatMap { one in all[0]?.agrees(with: one) } ?? false }
    }
    if hasOneZone[country] == false { location.zone = BankLocation.unknownZone }
  }

  /// The zones of each country by `zone1970.tab`, which comes with the rules; empty without it.
  private func readCountryZones() -> [TextKey: [String]] {
    let table = read { () throws(ZoneFolderError) in try zones.bytes(of: "zone1970.tab") }
    var found: [TextKey: [String]] = [:]
    for line in (table ?? []).split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
      let fields = String(decoding: line, as: UTF8.self).split(separator: "\t")
      guard fields.count > 2 else { continue }
      for country in fields[0].split(separator: ",") { found[TextKey(country), default: []].append(String(fields[2])) }
    }
    return found
  }
}
