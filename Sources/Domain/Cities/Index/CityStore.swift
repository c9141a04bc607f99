import CPrefetch
import Geodesy

/// Cities during the import: numbers in columns, texts in one block of memory.
///
/// A ``City`` takes 128 bytes and an allocation for each longer text; five million of them would need gigabytes. Here a
/// city without alternate names takes about 60 bytes, and its texts are read in place.
struct CityStore: Sendable {
  /// The properties that many cities share.
  struct Surroundings: Hashable, Sendable {
    /// The country's code; empty if the source names none.
    var country = ""
    /// The region's code and name, the county's code and the time zone; empty if the source names none.
    var regionCode = "", region = "", countyCode = "", zone = ""

    init(_ city: City) {
      (country, regionCode, region) = (city.country, city.regionCode, city.region)
      (countyCode, zone) = (city.countyCode, city.zone)
    }
  }

  private(set) var ids: [UInt64] = []
  /// Degrees north and east, by city.
  private(set) var latitudes: [Double] = []
  private(set) var longitudes: [Double] = []
  /// By city, inhabitants + 1, or 0 if unknown.
  private(set) var populations: [UInt32] = []
  /// By city, the index in ``surroundings``.
  private(set) var places: [UInt32] = []
  /// The distinct surroundings, in the order of their first occurrence.
  private(set) var surroundings: [Surroundings] = []
  private var numbers: [Surroundings: UInt32] = [:]
  /// By city, the start of its texts in `texts`.
  private var starts: [Int] = []
  /// For each city its name, the number of alternate names, and these; each text follows its length.
  ///
  /// Each number has 16 bits: a text's length in the lower ``lengthBits``, its number of languages above them.
  private var texts: [UInt8] = []
  /// Bits of a text's length in bytes, which ``CityRule`` limits.
  private static let lengthBits: UInt16 = 12

  var count: Int { starts.count }

  /// Adds a city that ``CityRule`` accepts.
  ///
  /// - Complexity: O(n) in the bytes of its texts.
  mutating func append(_ city: City) {
    ids.append(city.id)
    // −0.0 becomes 0.0: rows have no such sign, and positions must agree with them.
    latitudes.append(city.latitude + 0.0)
    longitudes.append(city.longitude + 0.0)
    populations.append(Self.stored(city.population))
    places.append(number(of: city))
    starts.append(texts.count)
    write(city)
  }

  /// Replaces the texts and surroundings of the city at `index` with those of `city`; the memory of the old texts stays
  /// in use.
  ///
  /// - Complexity: O(n) in the bytes of its texts.
  mutating func replace(_ index: Int, by city: City) {
    places[index] = number(of: city)
    starts[index] = texts.count
    write(city)
  }

  /// The population of the city at `index`, if known.
  func population(_ index: Int) -> UInt64? { populations[index] == 0 ? nil : UInt64(populations[index] - 1) }

  mutating func setPopulation(_ index: Int, _ population: UInt64) { populations[index] = Self.stored(population) }

  /// The position of the city at `index`.
  func point(_ index: Int) -> GeoPoint { GeoPoint(latitude: latitudes[index], longitude: longitudes[index]) }

  /// The country of the city at `index`.
  func country(_ index: Int) -> String { surroundings[Int(places[index])].country }

  /// Reorders the cities: position i gets the city whose index is `order[i]`.
  ///
  /// - Complexity: O(n), and the memory of one column.
  mutating func reorder(_ order: [UInt32]) {
    func ordered<Value>(_ column: [Value]) -> [Value] { order.map { column[Int($0)] } }
    ids = ordered(ids)
    latitudes = ordered(latitudes)
    longitudes = ordered(longitudes)
    populations = ordered(populations)
    places = ordered(places)
    starts = ordered(starts)
  }

  /// Frees everything but texts and populations, which alone remain valid.
  mutating func keepTexts() {
    (ids, latitudes, longitudes, places, surroundings, numbers) = ([], [], [], [], [], [:])
  }

  private static func stored(_ population: UInt64?) -> UInt32 { population.map { UInt32($0) + 1 } ?? 0 }

  private mutating func number(of city: City) -> UInt32 {
    let wanted = Surroundings(city)
    // Neighbours in a list are often neighbours in the world.
    if let last = places.last, surroundings[Int(last)] == wanted { return last }
    if let known = numbers[wanted] { return known }
    let number = UInt32(surroundings.count)
    numbers[wanted] = number
    surroundings.append(wanted)
    return number
  }

  private mutating func write(_ city: City) {
    write(city.name)
    texts.append(littleEndian: UInt16(city.alternates.count))
    for name in city.alternates { write(name, languages: city.languages[name] ?? 0) }
  }

  private mutating func write(_ text: String, languages: Int = 0) {
    let languages = UInt16(min(max(languages, 0), CityRule.maximumLanguages))
    var text = text
    text.withUTF8 { bytes in
      texts.append(littleEndian: languages << Self.lengthBits | UInt16(bytes.count))
      texts.append(contentsOf: bytes)
    }
  }
}

extension CityStore {
  /// The texts of all cities, valid during the call that receives them.
  struct Texts {
    fileprivate let starts: UnsafeBufferPointer<Int>
    fileprivate let bytes: UnsafeRawBufferPointer

    /// The name of the city at `index`, in UTF-8.
    ///
    /// Most callers read the names of one city after the other, so that of a later city is prefetched.
    func name(_ index: Int) -> UnsafeRawBufferPointer {
      if let base = bytes.baseAddress { cities_prefetch(base + starts[min(index + 8, starts.count - 1)]) }
      var offset = starts[index]
      return next(&offset)
    }

    /// Where `text`, which is one of these, is: an argument of ``text(at:)``.
    func offset(of text: UnsafeRawBufferPointer) -> Int {
      guard let start = text.baseAddress, let base = bytes.baseAddress else { return 0 }
      return start - base - 2
    }

    /// The text at `offset`.
    func text(at offset: Int) -> UnsafeRawBufferPointer {
      var offset = offset
      return next(&offset)
    }

    /// Calls `body` with each alternate name of the city at `index`, its number and its number of languages, in order.
    func forEachAlternate(_ index: Int, _ body: (UnsafeRawBufferPointer, Int, Int) -> Void) {
      var offset = starts[index]
      _ = next(&offset)
      let count = Int(bytes.load(littleEndian: UInt16.self, at: offset))
      offset += 2
      for number in 0..<count {
        let languages = bytes.load(littleEndian: UInt16.self, at: offset) >> CityStore.lengthBits
        body(next(&offset), number, Int(languages))
      }
    }

    /// The text whose length is at `offset`; moves `offset` to its end.
    private func next(_ offset: inout Int) -> UnsafeRawBufferPointer {
      let start = offset + 2
      offset = start + Int(bytes.load(littleEndian: UInt16.self, at: offset) & (1 << CityStore.lengthBits - 1))
      return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }
  }

  /// Calls `body` with the texts of all cities.
  func withTexts<Result, Failure: Error>(_ body: (Texts) throws(Failure) -> Result) throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = starts.withUnsafeBufferPointer { starts in
      texts.withUnsafeBytes { bytes in
        do throws(Failure) { return .success(try body(Texts(starts: starts, bytes: bytes))) } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  /// The city at `index`; without alternate names, region, county and zone if `isWhole` is false.
  func city(_ index: Int, isWhole: Bool) -> City {
    let around = surroundings[Int(places[index])]
    return withTexts { texts in
      var city = City(
        id: ids[index], name: String(decoding: texts.name(index), as: UTF8.self), country: around.country,
        latitude: latitudes[index], longitude: longitudes[index], population: population(index))
      guard isWhole else { return city }
      (city.regionCode, city.region) = (around.regionCode, around.region)
      (city.countyCode, city.zone) = (around.countyCode, around.zone)
      texts.forEachAlternate(index) { bytes, _, languages in
        let name = String(decoding: bytes, as: UTF8.self)
        city.alternates.append(name)
        if languages > 0 { city.languages[name] = languages }
      }
      return city
    }
  }

  /// Whether the city at `index` has the ``CityIdentity`` of `city`; their ids are equal.
  func isSame(_ index: Int, _ city: City) -> Bool {
    guard latitudes[index] == city.latitude, longitudes[index] == city.longitude, country(index) == city.country else {
      return false
    }
    var name = city.name
    return withTexts { texts in name.withUTF8 { texts.name(index).elementsEqual($0) } }
  }

  /// Whether the city at `one` is below the one at `other` in the order of ``CityIdentity``.
  func isBelow(_ one: Int, _ other: Int) -> Bool {
    if ids[one] != ids[other] { return ids[one] < ids[other] }
    return city(one, isWhole: false).identity < city(other, isWhole: false).identity
  }
}
