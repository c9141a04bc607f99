import Cities
import Geodesy
import Glibc
import Text

/// What the index must answer, found by looking at every city.
struct PlainScan {
  struct Entry {
    var city: City
    var plain: Folded
    var base: Folded
  }

  /// A city's texts in one folding.
  struct Folded {
    let name: [UInt8]
    let country: [UInt8]
    let title: [UInt8]

    init(_ city: City, _ folder: CaseFolder, _ mode: FoldMode) {
      name = folder.folded(city.name, mode)
      country = folder.folded(city.country, mode)
      title = country.isEmpty ? name : name + Array(", ".utf8) + country
    }
  }

  let entries: [Entry]
  private let entriesByBase: [Entry]

  /// Of several cities that differ in their population alone, the largest counts.
  init(_ cities: [City]) {
    let folder = CaseFolder()
    let unique = Dictionary(cities.map { (Self.identity($0), $0) }) { one, other in
      (other.population.map { Int($0) } ?? -1) > (one.population.map { Int($0) } ?? -1) ? other : one
    }.values
    entries = unique.map {
      Entry(city: $0, plain: Folded($0, folder, .plain), base: Folded($0, folder, .baseLetters))
    }.sorted { $0.comesBefore($1) }
    entriesByBase = entries.sorted { $0.comesBeforeByBase($1) }
  }

  /// All fields but the population, in the order in which cities with equal keys stand.
  static func identity(_ city: City) -> [[UInt8]] {
    let numbers = [city.id, bits(city.latitude), bits(city.longitude)].map { number in
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
    return [numbers[0], Array(city.name.utf8), Array(city.country.utf8), numbers[1], numbers[2]]
  }

  /// A number that orders as `value` does.
  private static func bits(_ value: Double) -> UInt64 {
    let bits = (value + 0).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  /// The matches in order.
  func search(_ query: [UInt8], _ mode: CityMatchMode, country: String?) -> [Entry] {
    let wanted = country.map { Array($0.utf8) }
    return (mode == .plain ? entries : entriesByBase).filter { entry in
      let title = entry.folded(mode).title
      return title.count >= query.count && memcmp(title, query, query.count) == 0
        && (wanted == nil || wanted == entry.plain.country)
    }
  }

  /// What all titles begin with, cut at a code point.
  static func common(_ found: [Entry], _ mode: CityMatchMode) -> [UInt8] {
    guard var common = found.first?.folded(mode).title else { return [] }
    for entry in found.dropFirst() {
      let title = entry.folded(mode).title
      var count = 0
      while count < common.count, count < title.count, common[count] == title[count] { count += 1 }
      common.removeSubrange(count...)
    }
    while String(validating: common, as: UTF8.self) == nil { common.removeLast() }
    return common
  }

  static func byPopulation(_ found: [Entry]) -> [UInt64] {
    found.enumerated().sorted { left, right in
      let (one, other) = (left.element.city.population, right.element.city.population)
      return one == other ? left.offset < right.offset : (one.map { Int($0) } ?? -1) > (other.map { Int($0) } ?? -1)
    }.map(\.element.city.id)
  }

  /// The neighbours as (metres, place in key order).
  func near(_ place: GeoPoint, limit: Int, radius: Double) -> [[UInt64]] {
    let all = entries.enumerated().map { [UInt64(place.metres(to: $0.element.point)), UInt64($0.offset)] }
    return Array(all.filter { Double($0[0]) <= radius }.sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit))
  }

  /// The same by the rule of places, as the wire's page says it.
  func places(_ place: GeoPoint, in country: String, limit: Int, radius: Double) -> [[UInt64]] {
    func worth(_ entry: [UInt64]) -> Double {
      guard entry[0] <= 100_000 else { return -Double(entry[0]) }
      let isForeign = !country.isEmpty && entries[Int(entry[1])].city.country != country
      let root = Double(max(entries[Int(entry[1])].city.population ?? 500, 1)).squareRoot().squareRoot()
      let weight = (root * root.squareRoot() * 1_024).rounded()
      let share = Double(entry[0]) / min(2_500 + 50 / 1_024.0 * weight, 12_000)
      // 59,213 / 1,024 is the weight of 50,000 inhabitants.
      let worth = weight / (1 + share * share) * (entry[0] <= 1_000 && weight >= 59_213 ? 1.5 : 1)
      return isForeign ? worth * 0x1p-24 : worth
    }
    let all = near(place, limit: .max, radius: radius).map { (entry: $0, worth: worth($0)) }
    // The sort is stable: equal ones stay in the order of distances and keys.
    return all.sorted { $0.worth > $1.worth }.prefix(limit).map(\.entry)
  }

  /// The ids of the cities in a box, most inhabitants first, equal ones in key order.
  func inside(_ box: GeoBox, limit: Int, minimum: UInt64) -> [UInt64] {
    let found = entries.filter { entry in
      let (lat, lon) = (entry.city.latitude, entry.city.longitude)
      guard box.south <= lat, lat <= box.north, minimum == 0 || entry.city.population ?? 0 >= minimum else {
        return false
      }
      // 180° and −180° are one meridian.
      return [lon, lon + 360, lon - 360].contains { lon in
        box.west <= box.east ? box.west <= lon && lon <= box.east : box.west <= lon && lon <= box.east + 360
      }
    }
    return Array(Self.byPopulation(found).prefix(limit))
  }
}

extension PlainScan.Entry {
  var point: GeoPoint { GeoPoint(latitude: city.latitude, longitude: city.longitude) }

  func folded(_ mode: CityMatchMode) -> PlainScan.Folded { mode == .plain ? plain : base }

  func comesBefore(_ other: Self) -> Bool { order(plain, other.plain, isBelowByIdentity(other)) }

  private func isBelowByIdentity(_ other: Self) -> Bool {
    let (one, other) = (PlainScan.identity(city), PlainScan.identity(other.city))
    guard let (mine, theirs) = zip(one, other).first(where: { $0 != $1 }) else { return false }
    return mine.lexicographicallyPrecedes(theirs)
  }

  func comesBeforeByBase(_ other: Self) -> Bool { order(base, other.base, comesBefore(other)) }

  private func order(_ one: PlainScan.Folded, _ other: PlainScan.Folded, _ else: @autoclosure () -> Bool) -> Bool {
    if one.name != other.name { return one.name.lexicographicallyPrecedes(other.name) }
    if one.country != other.country { return one.country.lexicographicallyPrecedes(other.country) }
    return `else`()
  }
}
