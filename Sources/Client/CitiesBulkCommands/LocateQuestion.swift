internal import CBOR
internal import CitiesCommands
internal import CitiesProtocol

/// `citiesctl locate`: the city at each position.
struct LocateQuestion: TableQuestion {
  static let failure = RowFailure(
    code: "no-position", one: "not a position", several: "no position", naming: "--lat NAME --lon NAME")
  /// As many as fit the usual limit of requests.
  static let limits = BatchLimits(rows: 4_000)
  static let verb = "locate"
  static let subject = "positions"

  let rule: CityNear.Rule?
  let hasCountries: Bool

  var headings: [String] { ["id", "title", "distance"] + (hasCountries ? ["country", "certain"] : []) }

  func request(for batch: TableBatch) -> CityLocate {
    CityLocate(lat: .doubles(degrees(0, in: batch)), lon: .doubles(degrees(1, in: batch)), rows: true, rule: rule)
  }

  private func degrees(_ column: Int, in batch: TableBatch) -> [Double] {
    let comma = UInt8(ascii: ",")
    // Where commas separate values, one in quotes may separate the two degrees of a position.
    let hasDecimalCommas = batch.syntax.separator != comma
    return [Double](unsafeUninitializedCapacity: batch.count) { numbers, count in
      for row in 0..<batch.count {
        let number = batch.value(row, column).flatMap { value in
          DegreeText.number(value) ?? (hasDecimalCommas ? DegreeText.number(value, point: comma) : nil)
            ?? DegreeText.angle(value, isLatitude: column == 0)
        }
        numbers.initializeElement(at: row, to: number ?? .nan)
      }
      count = batch.count
    }
  }

  func write(_ answer: BulkReply, for batch: TableBatch, to table: inout TableWriter) throws {
    guard answer.metres.count == batch.count, answer.index.count == batch.count else {
      throw CommandFailure(.protocolMismatch, code: "unreadable-reply", "the reply does not have one city for each row")
    }
    let countries = hasCountries ? answer.countries : []
    guard !hasCountries || countries.count == batch.count && answer.certain.count == batch.count else {
      throw CommandFailure(
        .protocolMismatch, code: "unreadable-reply", "the server is too old to report countries")
    }
    let values = CityValues(answer.cities, table.syntax, onTerminal: table.isTerminal)
    for row in 0..<batch.count {
      let city = Int(answer.index[row])
      guard city < values.count else {
        try table.failed(row, of: batch)
        continue
      }
      table.row(row, of: batch)
      values.withBytes(of: city) { table.values($0) }
      table.value(number: UInt64(answer.metres[row]))
      if hasCountries {
        table.value(word: countries[row])
        table.value(word: Array((answer.certain[row] == 1 ? "true" : "false").utf8))
      }
      table.end()
    }
  }
}

/// Reads degrees.
enum DegreeText {
  /// The longest notation of one coordinate; no longer text is converted.
  private static let longest = 64

  /// The angle that `text` is in any notation that `near` reads, such as `52°30'N`; `nil` if it is none.
  static func angle(_ text: UnsafeRawBufferPointer, isLatitude: Bool) -> Double? {
    guard (1...longest).contains(text.count) else { return nil }
    return PositionText.coordinate(String(decoding: text, as: UTF8.self), isLatitude: isLatitude)
  }

  /// The decimal number that `text` is with `point` before its fraction, with spaces around it and an exponent allowed;
  /// `nil` if it is none.
  ///
  /// Up to 15 digits are read exactly as one whole number divided by a power of ten; others by the standard library.
  static func number(_ text: UnsafeRawBufferPointer, point: UInt8 = UInt8(ascii: ".")) -> Double? {
    let space = UInt8(ascii: " ")
    var (start, end) = (0, text.count)
    while start < end, text[start] == space { start += 1 }
    while end > start, text[end - 1] == space { end -= 1 }
    var (mantissa, count, fraction, index) = (0, 0, 0, start)
    let isNegative = index < end && text[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var hasPoint = false
    while index < end {
      let byte = text[index]
      if byte == point, !hasPoint {
        hasPoint = true
      } else if byte &- 0x30 < 10, count < 15 {
        mantissa = mantissa &* 10 &+ Int(byte &- 0x30)
        count += 1
        if hasPoint { fraction += 1 }
      } else {
        return generalNumber(text[start..<end], point)
      }
      index += 1
    }
    guard count > 0 else { return nil }
    let number = Double(mantissa) / powers[fraction]
    return isNegative ? -number : number
  }

  /// The number that the standard library reads, which also reads hexadecimal ones, `inf` and `nan`, which are not
  /// degrees.
  private static func generalNumber(_ text: Slice<UnsafeRawBufferPointer>, _ point: UInt8) -> Double? {
    let isDecimal = text.allSatisfy { $0 &- 0x30 < 10 || $0 == point || "+-eE".utf8.contains($0) }
    let number = text.map { $0 == point ? UInt8(ascii: ".") : $0 }
    return isDecimal ? Double(String(decoding: number, as: UTF8.self)) : nil
  }

  /// The powers of ten from 0 to 15, which are exact.
  private static let powers = (1...15).reduce(into: [1.0]) { powers, _ in powers.append(powers[powers.count - 1] * 10) }
}
