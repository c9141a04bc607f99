internal import CBOR

/// The cities of a reply about many positions or names as far as a table needs them.
///
/// They are read in place: decoded as a type, the rows of thousands of different cities would cost more than all else
/// that the command does.
struct ReplyCities: Equatable {
  /// A city, by offsets into ``texts``: its name begins at `start`, its country and its region follow.
  private struct City: Equatable {
    var id: UInt64 = 0
    var latitude = 0.0, longitude = 0.0
    var start = 0, nameEnd = 0, countryEnd = 0, end = 0
  }

  private var cities: [City] = []
  private var texts: [UInt8] = []

  /// Cities in all.
  var count: Int { cities.count }
  /// The id of the city at `place`.
  func id(at place: Int) -> UInt64 { cities[place].id }
  /// The name of the city at `place`.
  func name(at place: Int) -> ArraySlice<UInt8> { texts[cities[place].start..<cities[place].nameEnd] }
  /// The code of its country; empty for none.
  func country(at place: Int) -> ArraySlice<UInt8> { texts[cities[place].nameEnd..<cities[place].countryEnd] }
  /// The name of its region; empty for none.
  func region(at place: Int) -> ArraySlice<UInt8> { texts[cities[place].countryEnd..<cities[place].end] }
  /// Degrees north and east.
  func position(at place: Int) -> (latitude: Double, longitude: Double) {
    (cities[place].latitude, cities[place].longitude)
  }

  /// Reads the array of rows that comes next.
  ///
  /// - Throws: an error of decoding.
  /// - Complexity: O(bytes).
  mutating func readRows(_ reader: inout CBORReader) throws(CBORError) {
    let count = try reader.readArray()
    cities.reserveCapacity(count)
    // Most names are shorter.
    texts.reserveCapacity(count * 24)
    for _ in 0..<count { try readRow(&reader) }
  }

  /// Keys as `CBORKey.word` has them: a head, the text and zeros.
  private static var id: UInt64 { 0x6269_6400_0000_0000 }
  private static var latitude: UInt64 { 0x636C_6174_0000_0000 }
  private static var longitude: UInt64 { 0x636C_6F6E_0000_0000 }
  private static var name: UInt64 { 0x646E_616D_6500_0000 }
  private static var region: UInt64 { 0x6672_6567_696F_6E00 }
  private static var country: UInt64 { 0x6763_6F75_6E74_7279 }

  private mutating func readRow(_ reader: inout CBORReader) throws(CBORError) {
    var map = try reader.readMap()
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var (name, country, region) = (nothing, nothing, nothing)
    var (city, id): (City, UInt64?) = (City(), nil)
    while let key = try reader.nextKeyWord(of: &map) {
      switch key.word {
      case Self.id: id = try reader.readUnsigned()
      case Self.latitude: city.latitude = try reader.readDouble()
      case Self.longitude: city.longitude = try reader.readDouble()
      case Self.name: name = try reader.readText()
      case Self.region: if !reader.readNullIfPresent() { region = try reader.readText() }
      case Self.country: country = try reader.readText()
      default: try reader.skip()
      }
    }
    guard let id else { throw CBORError(.malformed("a row without an id"), offset: reader.offset) }
    city.id = id
    city.start = texts.count
    texts.append(contentsOf: name)
    city.nameEnd = texts.count
    texts.append(contentsOf: country)
    city.countryEnd = texts.count
    texts.append(contentsOf: region)
    city.end = texts.count
    cities.append(city)
  }
}

/// The values that a table says of each city of a reply, each with the separator before it: made once per city.
struct CityValues {
  private var bytes: [UInt8] = []
  private var ends: [Int] = [0]
  private let onTerminal: Bool

  /// Makes the values of `cities` in a table of `syntax`: id and title, and if `isWhole` country, region and position.
  init(_ cities: ReplyCities, _ syntax: TableSyntax, onTerminal: Bool, isWhole: Bool = false) {
    self.onTerminal = onTerminal
    ends.reserveCapacity(cities.count + 1)
    // An id, two separators and a title of usual length.
    bytes.reserveCapacity(cities.count * (isWhole ? 64 : 32))
    let separator = syntax.separator
    for place in 0..<cities.count {
      bytes.append(separator)
      bytes.append(decimal: cities.id(at: place))
      bytes.append(separator)
      appendTitle(of: place, cities, syntax)
      if isWhole { appendRest(of: place, cities, syntax) }
      ends.append(bytes.count)
    }
  }

  private mutating func appendTitle(of place: Int, _ cities: ReplyCities, _ syntax: TableSyntax) {
    let (start, country) = (bytes.count, cities.country(at: place))
    bytes.append(contentsOf: cities.name(at: place))
    if !country.isEmpty {
      bytes.append(UInt8(ascii: ","))
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: country)
    }
    bytes.makeValue(from: start, of: syntax, onTerminal: onTerminal)
  }

  private mutating func appendRest(of place: Int, _ cities: ReplyCities, _ syntax: TableSyntax) {
    let separator = syntax.separator
    for text in [cities.country(at: place), cities.region(at: place)] {
      bytes.append(separator)
      let start = bytes.count
      bytes.append(contentsOf: text)
      bytes.makeValue(from: start, of: syntax, onTerminal: onTerminal)
    }
    let position = cities.position(at: place)
    for number in [position.latitude, position.longitude] {
      bytes.append(separator)
      bytes.append(contentsOf: decimalText(number).utf8)
    }
  }

  /// Cities in all.
  var count: Int { ends.count - 1 }

  /// Calls `body` with the values of the city at `place`.
  func withBytes(of place: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[ends[place]..<ends[place + 1]])) }
  }
}
