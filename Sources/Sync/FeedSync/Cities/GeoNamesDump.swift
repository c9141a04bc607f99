import Cities
import CitiesProtocol

/// A GeoNames dump, such as `cities500.txt` or `EE.txt`: one place per line in 19 TAB-separated columns, UTF-8, no
/// quotes, no header (https://download.geonames.org/export/dump/readme.txt).
///
/// City dumps hold populated places only (feature class P). Country dumps also hold mountains, rivers, hotels and so
/// on, which are left out, as are abandoned, destroyed and historical places. Places without a class are kept, and so
/// are sections of cities (PPLX), which `cities500` has too.
enum GeoNamesDump {
  /// Columns of a line.
  static let columns = 19

  /// The columns that are read, counted from 0.
  enum Column: Int {
    case id, name, asciiName, alternates, latitude, longitude, featureClass, featureCode, country
    case regionCode = 10
    case countyCode = 11
    case population = 14
    case zone = 17
  }

  /// Whether `text` is a dump and not JSON: its first line starts with a digit and has a TAB.
  static func isDump(_ text: [UInt8]) -> Bool {
    let contents = text.dropFirst(markCount(of: text))
    guard let first = contents.first, isDigit(first) else { return false }
    return contents.prefix { $0 != UInt8(ascii: "\n") }.contains(tab)
  }

  /// Bytes of a byte-order mark.
  fileprivate static func markCount(of text: some Sequence<UInt8>) -> Int {
    text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private static let tab = UInt8(ascii: "\t")

  /// One line.
  ///
  /// It borrows the text, so it is valid only during the callback that receives it.
  struct Line {
    private let text: UnsafeRawBufferPointer
    /// Offset of the text's first byte in the source.
    private let base: Int
    private let start: Int
    private let end: Int
    /// The TABs of the line.
    private let tabs: InlineArray<18, Int>
    private let tabCount: Int

    fileprivate init(_ text: UnsafeRawBufferPointer, _ range: Range<Int>, base: Int) {
      (self.text, start, end, self.base) = (text, range.lowerBound, range.upperBound, base)
      var tabs = InlineArray<18, Int>(repeating: range.upperBound)
      var count = 0
      for index in range where text[index] == GeoNamesDump.tab {
        if count < tabs.count { tabs[count] = index }
        count += 1
      }
      (self.tabs, tabCount) = (tabs, count)
    }

    private subscript(column: Column) -> UnsafeRawBufferPointer {
      let index = column.rawValue
      let start = index == 0 ? self.start : tabs[index - 1] + 1
      return UnsafeRawBufferPointer(rebasing: text[start..<(index < tabs.count ? tabs[index] : end)])
    }

    var hasAllColumns: Bool { tabCount == GeoNamesDump.columns - 1 }

    /// Why the feature class or code excludes the place; `nil` if they do not.
    var reasonToLeaveOut: OtherPlaces.Reason? {
      guard hasAllColumns else { return nil }
      let (featureClass, code) = (self[.featureClass], self[.featureCode])
      if featureClass.count == 1, OtherPlaces.classes.utf8.contains(featureClass[0]) {
        return .featureClass(featureClass[0])
      }
      return OtherPlaces.codes.firstIndex { $0.utf8.elementsEqual(code) }.map(OtherPlaces.Reason.code)
    }

    /// The place as a city.
    ///
    /// - Throws: ``RecordProblem`` with the first column that is wrong.
    func city() throws(RecordProblem) -> City {
      guard hasAllColumns else {
        throw RecordProblem(
          "\(tabCount + 1) columns with a TAB between them, where GeoNames' dumps have \(GeoNamesDump.columns)")
      }
      let featureClass = self[.featureClass]
      guard featureClass.isEmpty || featureClass.elementsEqual("P".utf8) else {
        throw RecordProblem("the feature class is not one of GeoNames'")
      }
      guard let id = UInt64(digits: self[.id]) else { throw RecordProblem("geonameid is not a whole number") }
      return City(
        id: id, name: try text(.name, "name"), country: try text(.country, "country code"),
        latitude: try degrees(.latitude, "latitude"), longitude: try degrees(.longitude, "longitude"),
        population: try population())
    }

    /// Inhabitants; GeoNames writes 0 if unknown.
    private func population() throws(RecordProblem) -> UInt64? {
      let column = self[.population]
      if column.isEmpty { return nil }
      guard let population = UInt64(digits: column) else { throw RecordProblem("population is not a whole number") }
      return population == 0 ? nil : population
    }

    /// Other names, region, county and time zone.
    ///
    /// - Throws: ``RecordProblem`` if a column is not UTF-8.
    func details() throws(RecordProblem) -> CityDetails {
      var details = CityDetails()
      details.regionCode = try text(.regionCode, "admin1 code")
      details.countyCode = try text(.countyCode, "admin2 code")
      details.zone = try text(.zone, "timezone")
      details.alternates.add(separatedByCommas: try text(.alternates, "alternatenames"))
      let (name, asciiName) = (self[.name], self[.asciiName])
      // Last, so that a native name with the same folded key wins.
      if !name.elementsEqual(asciiName) { details.alternates.add(try text(.asciiName, "asciiname")) }
      return details
    }

    private func text(_ column: Column, _ name: String) throws(RecordProblem) -> String {
      let bytes = self[column]
      if let invalid = firstInvalidUTF8(bytes) {
        let start = bytes.baseAddress.flatMap { bytes in text.baseAddress.map { bytes - $0 } } ?? 0
        throw .invalidText(name, at: base + start + invalid)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    private func degrees(_ column: Column, _ name: String) throws(RecordProblem) -> Double {
      let bytes = self[column]
      // `Double` also accepts "inf" and "0x1p3".
      let isPlain = bytes.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
      guard isPlain, let value = Double(String(decoding: bytes, as: UTF8.self)) else {
        throw RecordProblem("\(name) is not a number")
      }
      return value
    }
  }
}

/// Splits a dump that arrives in pieces into lines.
struct DumpLines {
  /// Bytes of a line that are kept, many times GeoNames' longest line: bounds the memory for a source without line
  /// ends.
  static let maximumLineBytes = 1 << 20

  /// The unfinished line, up to ``maximumLineBytes``.
  private var rest: [UInt8] = []
  /// Further bytes of that line.
  private var leftOut = 0
  /// Bytes and lines before it.
  private var (offset, count) = (0, 0)

  /// Calls `take` with each line that ends in `piece` and its number, from 1.
  ///
  /// - Complexity: O(count of `piece`), and of the line that ends in it.
  mutating func read(_ piece: UnsafeRawBufferPointer, _ take: (GeoNamesDump.Line, Int) -> Void) {
    var start = 0
    if !rest.isEmpty {
      let end = piece.firstIndex(of: UInt8(ascii: "\n")) ?? piece.count
      keep(piece[..<end])
      guard end < piece.count else { return }
      let (line, bytes) = (rest, rest.count + leftOut)
      (rest, leftOut) = ([], 0)
      line.withUnsafeBytes { pass($0, 0..<line.count, base: offset, take) }
      offset += bytes + 1
      start = end + 1
    }
    let base = offset - start
    while let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
      pass(piece, start..<end, base: base, take)
      start = end + 1
    }
    offset = base + start
    keep(piece[start...])
  }

  /// Adds to the start of a line.
  private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
    let room = bytes.prefix(max(Self.maximumLineBytes - rest.count, 0))
    rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: room))
    leftOut += bytes.count - room.count
  }

  /// Calls `take` with the last line if no line feed ended it.
  mutating func finish(_ take: (GeoNamesDump.Line, Int) -> Void) {
    let line = rest
    rest = []
    if !line.isEmpty { line.withUnsafeBytes { pass($0, 0..<line.count, base: offset, take) } }
  }

  private mutating func pass(
    _ text: UnsafeRawBufferPointer, _ range: Range<Int>, base: Int, _ take: (GeoNamesDump.Line, Int) -> Void
  ) {
    let mark = count == 0 ? GeoNamesDump.markCount(of: text[range]) : 0
    count += 1
    take(GeoNamesDump.Line(text, range.dropFirst(mark), base: base), count)
  }
}

/// The places of a dump that are not cities.
///
/// They are counted, not listed: in some dumps they are most of the lines.
struct OtherPlaces {
  /// Why a place is not a city.
  enum Reason: Hashable {
    case featureClass(UInt8)
    /// The index of the feature code in ``codes``.
    case code(Int)

    fileprivate var clause: String {
      switch self {
      case .featureClass(let letter): "feature class \(UnicodeScalar(letter)), not P (populated places)"
      case .code(let index): "feature code \(codes[index]), a place that is historical, abandoned or destroyed"
      }
    }
  }

  /// GeoNames' feature classes other than P.
  static let classes = "AHLRSTUV"
  /// Feature codes of class P for places without inhabitants.
  static let codes = ["PPLH", "PPLCH", "PPLQ", "PPLW"]

  private var found: [Reason: (first: Int, count: Int)] = [:]

  /// Counts the place in line `number`.
  mutating func add(_ reason: Reason, at number: Int) {
    found[reason, default: (number, 0)].count += 1
  }

  /// Notes all of them as skipped, one line per reason.
  func note(in notes: inout ImportNotes) {
    for (reason, lines) in found.sorted(by: { $0.value.first < $1.value.first }) {
      let rest = lines.count > 1 ? "; the first of \(lines.count) such lines" : ""
      notes.note(lines.first, .skipped, reason.clause + rest, count: UInt64(lines.count))
    }
  }
}

extension UInt64 {
  /// The value of ASCII digits; `nil` for anything else, or beyond 64 bits.
  fileprivate init?(digits: UnsafeRawBufferPointer) {
    guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
    self.init(String(decoding: digits, as: UTF8.self))
  }
}
