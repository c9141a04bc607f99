import Money

/// One record of a feed of money: named fields, each read exactly as it is written or refused with a reason.
struct MoneyRecord {
  /// The record's fields.
  private let fields: [String: JSONField]

  /// What is wrong with a record, in one clause.
  struct Problem: Error, Equatable {
    var text: String
    init(_ text: String) { self.text = text }
  }

  /// Takes an element of a list.
  ///
  /// - Throws: ``Problem`` if it is no object, or one that contradicts itself.
  init(_ element: JSONRecords.Element) throws(Problem) {
    switch element {
    case .record(let fields): self.fields = fields
    case .ambiguous(let key): throw Problem("\(Self.excerpt(key)) stands in it twice")
    case .other(let noun): throw Problem("expected an object, found \(noun)")
    }
  }

  /// The text of a field.
  func text(_ key: String) throws(Problem) -> String {
    switch fields[key] {
    case .text(let text): return text
    case .number: throw Problem("\(key): expected text, found a number")
    case .other(let noun): throw Problem("\(key): expected text, found \(noun)")
    case nil: throw Problem("\(key) is missing")
    }
  }

  /// A field's currency, which must be written as the wire's schema has it; a small letter may as well be a mistake.
  func currency(_ key: String) throws(Problem) -> CurrencyCode {
    let text = try text(key)
    guard let code = try? CurrencyCode(text), code.description == text else {
      let excerpt = MoneyError.excerpt(of: text)
      throw Problem("\(key): \(excerpt) is not 1 to 8 capital letters and digits, a letter first")
    }
    return code
  }

  /// A field's number with its written scale, from a JSON number or from text.
  func decimal(_ key: String) throws(Problem) -> ExactDecimal {
    let read: (String) throws(MoneyError) -> ExactDecimal
    let written: String
    switch fields[key] {
    case .text(let text): (read, written) = (ExactDecimal.init(parsing:), text)
    case .number(let text): (read, written) = (ExactDecimal.init(jsonNumber:), text)
    case .other(let noun): throw Problem("\(key): expected a number, found \(noun)")
    case nil: throw Problem("\(key) is missing")
    }
    do { return try read(written) } catch { throw Problem("\(key): \(error)") }
  }

  private static func excerpt(_ key: String) -> String { "\"\(key.prefix(32))\"" }
}
