import Base
import Geodesy

/// Cities on their way into an index: numbers in columns, texts in one piece of memory.
///
/// A ``City`` takes 128 bytes and a piece of memory for each longer text; five million of them would need gigabytes.
/// Here a city without other names takes about 60 bytes, and its texts are read where they stand.
struct CityStore: Sendable {
  /// What many cities share.
  struct Surroundings: Hashable, Sendable {
    /// The country's code; empty where the source names none.
    var country = ""
    /// The region's code and name, the county's code, and the time zone, each empty where the source names none.
    var regionCode = "", region = "", countyCode = "", zone = ""

    /// Those of `city`.
    init(_ city: City) {
      (country, regionCode, region) = (city.country, city.regionCode, city.region)
      (countyCode, zone) = (city.countyCode, city.zone)
    }
  }

  /// By city, its id.
  private(set) var ids: [UInt64] = []
  /// By city, degrees north and east.
  private(set) var latitudes: [Double] = []
  private(set) var longitudes: [Double] = []
  /// By city, inhabitants + 1, or 0 where unknown.
  private(set) var populations: [UInt32] = []
  /// By city, the index of its surroundings in ``surroundings``.
  private(set) var places: [UInt32] = []
  /// Those that there are, in the order in which they came.
  private(set) var surroundings: [Surroundings] = []
  private var numbers: [Surroundings: UInt32] = [:]
  /// By city, where its texts begin in `texts`.
  private var starts: [Int] = []
  /// For each city its name, the number of other names and these; a text after its bytes' number.
  ///
  /// Each number has 16 bits; those of a text's bytes are ``lengthBits``, and its languages are above them.
  private var texts: [UInt8] = []
  /// Bytes of `texts` that belong to no city any more.
  private var unused = 0
  /// Bits of a text's number of bytes, which ``CityRule`` limits.
  private static let lengthBits: UInt16 = 12
  /// Bytes that may be unused in any case.
  private static let maximumUnused = 1 << 20

  /// Cities in all.
  var count: Int { starts.count }
  /// Bytes of all texts, some of which may belong to no city any more.
  var textBytes: Int { texts.count }

  /// Adds a city that ``CityRule`` accepts.
  ///
  /// - Complexity: O(n) in the bytes of its texts.
  mutating func append(_ city: City) {
    ids.append(city.id)
    latitudes.append(city.latitude)
    longitudes.append(city.longitude)
    populations.append(Self.stored(city.population))
    places.append(number(of: city))
    starts.append(texts.count)
    write(city)
  }

  /// Gives the city at `index` the other names, region and time zone of `city`.
  ///
  /// - Complexity: O(n) in the bytes of its texts, on average: the old ones are removed from time to time.
  mutating func replace(_ index: Int, by city: City) {
    unused += withTexts { $0.size(index) }
    places[index] = number(of: city)
    starts[index] = texts.count
    write(city)
    if unused > max(texts.count / 2, Self.maximumUnused) { compact() }
  }

  /// The inhabitants of the city at `index`, where known.
  func population(_ index: Int) -> UInt64? { populations[index] == 0 ? nil : UInt64(populations[index] - 1) }

  /// Replaces the inhabitants of the city at `index`.
  mutating func setPopulation(_ index: Int, _ population: UInt64) { populations[index] = Self.stored(population) }

  /// Where the city at `index` is.
  func point(_ index: Int) -> GeoPoint { GeoPoint(latitude: latitudes[index], longitude: longitudes[index]) }

  /// The country of the city at `index`.
  func country(_ index: Int) -> String { surroundings[Int(places[index])].country }

  /// Puts the cities in another order: at each place stands the one whose index is at that place of `order`.
  ///
  /// - Complexity: O(n), in memory one column.
  mutating func reorder(_ order: [UInt32]) {
    func ordered<Value>(_ column: [Value]) -> [Value] { order.map { column[Int($0)] } }
    ids = ordered(ids)
    latitudes = ordered(latitudes)
    longitudes = ordered(longitudes)
    populations = ordered(populations)
    places = ordered(places)
    starts = ordered(starts)
  }

  /// Gives up what is said of cities beside their texts and inhabitants, which are all that remains valid.
  mutating func keepTexts() {
    (ids, latitudes, longitudes, places, surroundings, numbers) = ([], [], [], [], [], [:])
  }

  /// Removes the texts that belong to no city.
  private mutating func compact() {
    var (kept, moved) = ([UInt8](), [Int]())
    kept.reserveCapacity(texts.count - unused)
    moved.reserveCapacity(starts.count)
    withTexts { texts in
      for index in 0..<count {
        moved.append(kept.count)
        kept.append(contentsOf: texts.all(index))
      }
    }
    (texts, starts, unused) = (kept, moved, 0)
  }

  private static func stored(_ population: UInt64?) -> UInt32 { population.map { UInt32($0) + 1 } ?? 0 }

  private mutating func number(of city: City) -> UInt32 {
    let wanted = Surroundings(city)
    // Neighbours in a list often are neighbours in the world.
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
    let languages = UInt16(min(max(languages, 0), NameKind.maximumLanguages))
    var text = text
    text.withUTF8 { bytes in
      texts.append(littleEndian: languages << Self.lengthBits | UInt16(bytes.count))
      texts.append(contentsOf: bytes)
    }
  }
}

extension CityStore {
  /// The texts of all cities, as long as the call that hands them over lasts.
  struct Texts {
    fileprivate let starts: UnsafeBufferPointer<Int>
    fileprivate let bytes: UnsafeRawBufferPointer

    /// The name of the city at `index`, in UTF-8.
    func name(_ index: Int) -> UnsafeRawBufferPointer {
      var offset = starts[index]
      return next(&offset)
    }

    /// Calls `body` with each other name of the city at `index`, its number and its languages, in their order; returns
    /// where the texts of the city end.
    @discardableResult
    func forEachAlternate(_ index: Int, _ body: (UnsafeRawBufferPointer, Int, Int) -> Void) -> Int {
      var offset = starts[index]
      _ = next(&offset)
      let count = Int(bytes.load(littleEndian: UInt16.self, at: offset))
      offset += 2
      for number in 0..<count {
        let languages = bytes.load(littleEndian: UInt16.self, at: offset) >> CityStore.lengthBits
        body(next(&offset), number, Int(languages))
      }
      return offset
    }

    /// All texts of the city at `index`, as they are stored.
    fileprivate func all(_ index: Int) -> UnsafeRawBufferPointer {
      let start = starts[index]
      return UnsafeRawBufferPointer(rebasing: bytes[start..<start + size(index)])
    }

    /// Bytes that all texts of the city at `index` take.
    fileprivate func size(_ index: Int) -> Int { forEachAlternate(index) { _, _, _ in } - starts[index] }

    /// The text whose length stands at `offset`, which is moved to its end.
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

  /// The city at `index`; without its other names, region and zone if `isWhole` is false.
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

  /// Whether the city at `index` is `city`, but for what ``CityIdentity`` leaves out; their ids are equal.
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
