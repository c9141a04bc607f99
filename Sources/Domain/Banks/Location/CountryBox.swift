package import Geodesy

/// Bounding boxes of countries, by the codes of ISO 3166-1: enough to rule out that a circle reaches one.
package enum CountryBox {
  /// A box that contains the whole country with a code; `nil` if unknown.
  ///
  /// - Complexity: O(1).
  package static func box(of code: String) -> GeoBox? { boxes[code] }

  private static let boxes: [TextKey: GeoBox] = {
    // Parsed as bytes for speed: the first request that needs a box waits for all of them.
    let pairs = table.utf8.split(separator: UInt8(ascii: ";")).compactMap { row -> (TextKey, GeoBox)? in
      let parts = row.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
      let edges = parts.dropFirst().compactMap { Double(Substring($0)) }
      guard let code = parts.first, edges.count == 4 else { return nil }
      return (TextKey(Substring(code)), GeoBox(south: edges[0], west: edges[1], north: edges[2], east: edges[3]))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()
}
