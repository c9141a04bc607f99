import Base
internal import CBOR

/// One value of a row.
enum Cell: Equatable {
  /// Text.
  case text(String)
  /// A whole number.
  case count(UInt64)
  /// A number with a fraction, such as degrees.
  case number(Double)
  /// Yes or no.
  case flag(Bool)
  /// An exact amount or rate; a text in JSON, because most readers of JSON take a number with a fraction for a float.
  case amount(CBORDecimal)
  /// A value with parts: a short form where there is a line for it, and the whole of it in JSON.
  case parts(String, json: CBORValue)
  /// The source does not know; empty in text, left out in JSON.
  case absent

  /// A text, or absent.
  init(_ text: String?) { self = text.map(Cell.text) ?? .absent }

  /// A whole number, or absent.
  init(_ count: UInt64?) { self = count.map(Cell.count) ?? .absent }

  /// An amount, or absent.
  init(_ amount: CBORDecimal?) { self = amount.map(Cell.amount) ?? .absent }

  /// A part of a reply as it is on the wire, with `text` as its short form.
  static func wire(_ part: some Encodable, _ text: String) -> Cell {
    // What has come over the wire can be written again.
    (try? CBORValue(decoding: CBOREncoder().encode(part))).map { .parts(text, json: $0) } ?? .text(text)
  }

  /// As text, without any escapes.
  var plain: String {
    switch self {
    case .text(let text): text
    case .count(let count): "\(count)"
    case .number(let number): decimalText(number)
    case .flag(let flag): flag ? "true" : "false"
    case .amount(let amount): "\(amount)"
    case .parts(let text, _): text
    case .absent: ""
    }
  }

  /// Whether it stands at the right of its column.
  var isNumber: Bool {
    switch self {
    case .count, .number, .amount: true
    case .text, .flag, .parts, .absent: false
    }
  }

  /// Whether a spreadsheet would take it for a formula: a text that starts with `=`, `+`, `-` or `@`; never a number.
  var startsLikeFormula: Bool {
    switch self {
    case .text(let text), .parts(let text, _):
      text.unicodeScalars.first.map { "=+-@".unicodeScalars.contains($0) } ?? false
    case .count, .number, .flag, .amount, .absent: false
    }
  }

  /// Whether columns of such are aligned at the decimal point.
  var isAmount: Bool {
    if case .amount = self { true } else { false }
  }
}

/// Where a column stands when columns are not chosen by name.
struct ColumnPlaces: OptionSet {
  let rawValue: UInt8

  /// In tables.
  static let table = ColumnPlaces(rawValue: 1)
  /// In tsv and csv, whose columns are frozen: new ones come last.
  static let rows = ColumnPlaces(rawValue: 2)
  /// In the three JSON formats.
  static let json = ColumnPlaces(rawValue: 4)
  /// Everywhere.
  static let all: ColumnPlaces = [.table, .rows, .json]
}

/// One column of a listing: its name, which is the field's name on the wire, and where its value comes from.
struct Column<Row>: Sendable {
  /// The name.
  let name: String
  /// Where it stands unasked.
  let places: ColumnPlaces
  /// The value of a row.
  let value: @Sendable (Row) -> Cell

  /// Makes a column.
  init(_ name: String, in places: ColumnPlaces = .all, _ value: @escaping @Sendable (Row) -> Cell) {
    (self.name, self.places, self.value) = (name, places, value)
  }

  /// The column for rows that such a row is a part of.
  func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> Column<Whole> {
    Column<Whole>(name, in: places) { [value] in value(part($0)) }
  }
}
