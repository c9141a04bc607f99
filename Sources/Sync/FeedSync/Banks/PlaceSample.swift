import Banks
import Geodesy
import Resident

/// Some places of a list, by which a later one is compared: those whose names have the least hashes.
package struct PlaceSample: Codable, Equatable, Sendable {
  /// A place by the hash of its kind, id, name and address.
  struct Place: Codable, Equatable, Sendable {
    let key: UInt64
    let lat: Double
    let lon: Double
  }

  /// Most places of a sample.
  private static let maximum = 256
  /// The distance in metres from which a place has moved.
  private static let far: UInt32 = 100_000

  private let places: [Place]

  /// Takes a sample of `places`, without those that share a key.
  init(_ places: [Place]) {
    let sorted = places.sorted { $0.key < $1.key }
    let isAlone = { (index: Int) in
      (index == 0 || sorted[index - 1].key != sorted[index].key)
        && (index + 1 == sorted.count || sorted[index + 1].key != sorted[index].key)
    }
    self.places = sorted.indices.lazy.filter(isAlone).prefix(Self.maximum).map { sorted[$0] }
  }

  /// How many of the places in both samples are far from where they were in this one, and how many there are.
  func moved(to newer: PlaceSample) -> (moved: Int, compared: Int) {
    let points = Dictionary(uniqueKeysWithValues: newer.places.map { ($0.key, $0.point) })
    let pairs = places.compactMap { old in points[old.key].map { old.point.metres(to: $0) } }
    return (pairs.count { $0 > Self.far }, pairs.count)
  }
}

extension PlaceSample.Place {
  init(_ location: BankLocation) {
    var text = location.sourceID ?? ""
    for part in [location.name ?? "", location.address, location.kind.category.rawValue] {
      text += "\u{1f}"
      text += part
    }
    key = text.withUTF8 { XXH64.hash(of: UnsafeRawBufferPointer($0)) }
    (lat, lon) = (location.point.latitude, location.point.longitude)
  }

  fileprivate var point: GeoPoint { GeoPoint(latitude: lat, longitude: lon) }
}
