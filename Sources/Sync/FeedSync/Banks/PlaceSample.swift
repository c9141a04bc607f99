import Banks
import Geodesy
import Resident

/// Some places of a list, by which a later one is compared: those whose names have the least hashes.
///
/// Places without ids, names and addresses share a hash: such a place has moved if none of them is near where it was.
package struct PlaceSample: Codable, Equatable, Sendable {
  /// A place by the hash of its kind, id, name and address.
  package struct Place: Codable, Equatable, Sendable {
    let key: UInt64
    let lat: Double
    let lon: Double
  }

  /// Most places of a sample.
  private static let maximum = 256
  /// The distance in metres from which a place has moved.
  private static let far: UInt32 = 100_000

  private let places: [Place]

  /// Takes a sample of `places`; `nil` without any.
  init?(_ places: [Place]) {
    guard !places.isEmpty else { return nil }
    self.places = Array(places.sorted { ($0.key, $0.lat, $0.lon) < ($1.key, $1.lat, $1.lon) }.prefix(Self.maximum))
  }

  /// How many of the places that are also in `newer` are far from where they were, and how many there are.
  ///
  /// - Complexity: O(n) comparisons for each place of this sample, n of them with its name.
  func moved(to newer: [Place]) -> (moved: Int, compared: Int) {
    let keys = Set(places.map(\.key))
    let found = Dictionary(grouping: newer.lazy.filter { keys.contains($0.key) }, by: \.key)
    let known = places.compactMap { old in found[old.key].map { (old, $0) } }
    // A degree of latitude is more than 100 km long.
    let moved = known.count { old, others in
      !others.contains { abs($0.lat - old.lat) < 1 && old.point.metres(to: $0.point) <= Self.far }
    }
    return (moved, known.count)
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
