import CBOR
import CitiesProtocol
import FrameService

/// The parameters of `city.find`, read in place: its texts are slices of the request.
struct CityFindParams {
  /// The query.
  private(set) var query = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The largest number of rows.
  private(set) var limit = Int(CityFind.defaultLimit)
  /// Of rows with equal scores, the nearest to this place come first, if there is one.
  private(set) var near: Place?
  /// Whether names with typing errors may be looked for.
  private(set) var typos = true
  /// Only cities of this region, if there is one.
  private(set) var region: UnsafeRawBufferPointer?
  /// Only cities of this country, if there is one.
  private(set) var country: UnsafeRawBufferPointer?
  /// Whether the reply has the sources of its data.
  private(set) var provenance = false

  /// Reads the map of a request's parameters.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  /// - Complexity: O(bytes), no allocation unless it throws or a place is given.
  init(_ reader: inout CBORReader) throws(WireError) {
    var map = CBORMapWalk()
    do throws(CBORError) {
      map = try reader.readMap()
      while let key = try reader.nextKeyWord(of: &map) {
        if key.word == Key.query {
          query = try reader.readText()
        } else if !reader.readNullIfPresent() {
          try readOptional(key, &reader)
        }
      }
    } catch {
      throw .invalidParam(String(decoding: map.lastKey.text.prefix(32), as: UTF8.self), error.problem)
    }
    guard query.baseAddress != nil else { throw .invalidParam("query", "it is missing") }
  }

  /// The first eight bytes of the keys' encodings, most significant first.
  private enum Key {
    /// "near".
    static let near: UInt64 = 0x646E_6561_7200_0000
    /// "limit".
    static let limit: UInt64 = 0x656C_696D_6974_0000
    /// "query".
    static let query: UInt64 = 0x6571_7565_7279_0000
    /// "typos".
    static let typos: UInt64 = 0x6574_7970_6F73_0000
    /// "region".
    static let region: UInt64 = 0x6672_6567_696F_6E00
    /// "country".
    static let country: UInt64 = 0x6763_6F75_6E74_7279
    /// "provena", as far as it is "provenance".
    static let provenance: UInt64 = 0x6A70_726F_7665_6E61
  }

  @inline(__always)
  private mutating func readOptional(_ key: CBORKey, _ reader: inout CBORReader) throws(CBORError) {
    switch key.word {
    case Key.near: near = try readPlace(&reader)
    case Key.limit:
      let rows = try reader.readUnsigned()
      guard rows <= CityFind.maximumLimit else {
        throw CBORError(.refused("\(rows) is more than \(CityFind.maximumLimit)"), offset: reader.offset)
      }
      limit = Int(truncatingIfNeeded: rows)
    case Key.typos: typos = try reader.readBool()
    case Key.region: region = try reader.readText()
    case Key.country: country = try reader.readText()
    case Key.provenance where CBORReader.text(key.text, is: "provenance"): provenance = try reader.readBool()
    default: try reader.skip()
    }
  }

  private func readPlace(_ reader: inout CBORReader) throws(CBORError) -> Place {
    let start = reader.offset
    let item = try reader.readItem()
    do {
      return try CBORDecoder().decode(Place.self, from: item.bytes)
    } catch let error as CBORError {
      throw error
    } catch {
      throw CBORError(.refused("\(error)"), offset: start)
    }
  }
}
