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
  /// The source does not know; empty in text, left out in JSON.
  case absent

  /// A text, or absent.
  init(_ text: String?) { self = text.map(Cell.text) ?? .absent }

  /// A whole number, or absent.
  init(_ count: UInt64?) { self = count.map(Cell.count) ?? .absent }

  /// As text, without any escapes.
  var plain: String {
    switch self {
    case .text(let text): text
    case .count(let count): "\(count)"
    case .number(let number): decimalText(number)
    case .flag(let flag): flag ? "true" : "false"
    case .absent: ""
    }
  }

  /// Whether it stands at the right of its column.
  var isNumber: Bool {
    switch self {
    case .count, .number: true
    case .text, .flag, .absent: false
    }
  }
}

/// One column of a listing: its name, which is the field's name on the wire, and where its value comes from.
struct Column<Row>: Sendable {
  /// The name.
  let name: String
  /// Whether the wire's rows have the field; others stand in JSON only where `--columns` names them.
  let isField: Bool
  /// The value of a row.
  let value: @Sendable (Row) -> Cell

  /// Makes a column.
  init(_ name: String, isField: Bool = true, _ value: @escaping @Sendable (Row) -> Cell) {
    (self.name, self.isField, self.value) = (name, isField, value)
  }
}
