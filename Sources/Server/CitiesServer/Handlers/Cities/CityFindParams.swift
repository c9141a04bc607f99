import CBOR
import CitiesProtocol
import FrameService

/// The parameters of `city.find`, parsed in place: its texts are slices of the request.
struct CityFindParams {
  private(set) var query = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The largest number of rows.
  private(set) var limit = Int(CityFind.defaultLimit)
  /// Cities near this place are preferred, if given.
  private(set) var near: Place?
  /// Whether to correct typos.
  private(set) var typos = true
  /// Restricts the search to this region, if given.
  private(set) var region: UnsafeRawBufferPointer?
  /// Restricts the search to this country, if given.
  private(set) var country: UnsafeRawBufferPointer?
  /// Whether the reply says how the cities were found.
  private(set) var explain = false
  /// Whether nothing more is typed.
  private(set) var finished = false
  /// The fewest inhabitants of a city.
  private(set) var population: UInt64 = 0
  /// Whether the reply names its sources.
  private(set) var provenance = false

  /// Parses the map of a request's parameters.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  /// - Complexity: O(bytes); no allocation unless it throws or `near` is given.
  init(_ reader: inout CBORReader) throws(WireError) {
    var map = CBORMapWalk()
    do throws(CBORError) {
      map = try reader.readMap()
      while let key = try reader.nextKeyWord(of: &map) {
        if key.word == KeyWord.query {
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

  @inline(__always)
  private mutating func readOptional(_ key: CBORKey, _ reader: inout CBORReader) throws(CBORError) {
    switch key.word {
    case KeyWord.near: near = try readPlace(&reader)
    case KeyWord.limit:
      let rows = try reader.readUnsigned()
      guard rows <= CityFind.maximumLimit else {
        throw CBORError(.refused("\(rows) is more than \(CityFind.maximumLimit)"), offset: reader.offset)
      }
      limit = Int(truncatingIfNeeded: rows)
    case KeyWord.typos: typos = try reader.readBool()
    case KeyWord.region: region = try reader.readText()
    case KeyWord.country: country = try reader.readText()
    case KeyWord.explain: explain = try reader.readBool()
    case KeyWord.finished where CBORReader.text(key.text, is: "finished"): finished = try reader.readBool()
    case KeyWord.population where CBORReader.text(key.text, is: "population"): population = try reader.readUnsigned()
    case KeyWord.provenance where CBORReader.text(key.text, is: "provenance"): provenance = try reader.readBool()
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
