/// An angle as on maps: degrees, perhaps with minutes and seconds, and a letter or word of the compass before or after.
struct AngleText {
  /// In degrees, negative to the south and the west.
  let degrees: Double
  /// Whether its letter makes it a latitude; `nil` without a letter.
  let isLatitude: Bool?

  /// The angles that `text` consists of, such as the two of `N 45° 25.495' W 075° 41.740'`; `nil` for any other text.
  ///
  /// Without letters, each angle has a degree sign, or all of them are decimal numbers.
  ///
  /// - Throws: `ValidationError` for an angle with a minus sign and a letter.
  static func angles(_ text: String) throws -> [AngleText]? {
    guard let tokens = tokens(text), let first = tokens.first, tokens.last != .separator else { return nil }
    let hasLetters = tokens.contains { $0.isLetter }
    let hasUnits = tokens.contains { $0.isUnit }
    var groups: [[Token]] = [[]]
    for (index, token) in tokens.enumerated() {
      let isEmpty = groups[groups.count - 1].isEmpty
      if token == .separator {
        // Only a letter has already ended the angle before it.
        guard !isEmpty || index > 0 && tokens[index - 1].isLetter else { return nil }
        if !isEmpty { groups.append([]) }
        continue
      }
      let isStart =
        hasLetters
        ? first.isLetter && token.isLetter
        : token.isNumber && (!hasUnits || index + 1 < tokens.count && tokens[index + 1] == .unit(0))
      if isStart && !isEmpty { groups.append([]) }
      groups[groups.count - 1].append(token)
      if hasLetters && !first.isLetter && token.isLetter { groups.append([]) }
    }
    let angles = try groups.filter { !$0.isEmpty }.map { try AngleText($0, in: text) }
    let isWhole = angles.allSatisfy { $0 != nil && ($0?.isLatitude != nil) == hasLetters }
    return isWhole ? angles.compactMap(\.self) : nil
  }

  /// Reads one angle: its letter, and up to three numbers, of which only the last has a fraction.
  private init?(_ tokens: [Token], in text: String) throws {
    var (parts, isLatitude, isNegative, isSigned): ([Double], Bool?, Bool, Bool) = ([], nil, false, false)
    for (index, token) in tokens.enumerated() {
      switch token {
      case .letter(let axis, let sign):
        guard index == 0 || index == tokens.count - 1 else { return nil }
        isLatitude = axis
        isNegative = isNegative || sign
      case .number(let value, let sign):
        guard parts.count < 3, parts.isEmpty || sign == nil && value < 60, parts.allSatisfy({ $0 == $0.rounded() })
        else { return nil }
        parts.append(value)
        isSigned = isSigned || sign == "-"
      case .unit(let unit):
        guard unit == parts.count - 1, tokens[index - 1].isNumber else { return nil }
      case .separator: return nil
      }
    }
    guard !parts.isEmpty else { return nil }
    if isSigned && isLatitude != nil {
      throw ValidationError("'\(text)' has a minus sign and a compass letter for one angle; write only one of them")
    }
    let angle = parts.reversed().reduce(0) { $1 + $0 / 60 }
    degrees = isNegative || isSigned ? 0 - angle : angle
    self.isLatitude = isLatitude
  }

  private enum Token: Equatable {
    case number(Double, sign: Unicode.Scalar?)
    case letter(isLatitude: Bool, isNegative: Bool)
    /// The sign of degrees (0), minutes (1) or seconds (2).
    case unit(Int)
    case separator

    var isNumber: Bool { if case .number = self { true } else { false } }
    var isLetter: Bool { if case .letter = self { true } else { false } }
    var isUnit: Bool { if case .unit = self { true } else { false } }
  }

  /// The tokens of a text in its plain form; `nil` if it has any other sign or word.
  private static func tokens(_ text: String) -> [Token]? {
    var (tokens, rest): ([Token], Substring.UnicodeScalarView) = ([], text[...].unicodeScalars)
    while let next = rest.first {
      let number = rest.prefix { "+-.0123456789".unicodeScalars.contains($0) }
      let word = number.isEmpty ? rest.prefix { $0.properties.isAlphabetic } : number
      rest = rest.dropFirst(max(word.count, 1))
      if !word.isEmpty {
        guard let token = number.isEmpty ? letters(String(word)) : self.number(String(word)) else { return nil }
        tokens.append(token)
        continue
      }
      switch next {
      case " ": continue
      case ",", ";": tokens.append(.separator)
      case "°": tokens.append(.unit(0))
      case "'" where rest.first?.value == 0x27:
        rest.removeFirst()
        tokens.append(.unit(2))
      case "'": tokens.append(.unit(1))
      case "\"": tokens.append(.unit(2))
      default: return nil
      }
    }
    return tokens
  }

  private static func number(_ text: String) -> Token? {
    guard let value = Double(text) else { return nil }
    let sign = text.unicodeScalars.first.flatMap { "+-".unicodeScalars.contains($0) ? $0 : nil }
    return .number(value.magnitude, sign: sign)
  }

  /// The letters and the words for north, south, east and west: English, German, French and Spanish.
  private static let compass: [TextKey: Token] = {
    let points: [(words: String, token: Token)] = [
      ("n north nord norte", .letter(isLatitude: true, isNegative: false)),
      ("s south süd sud sur", .letter(isLatitude: true, isNegative: true)),
      ("e east ost est este", .letter(isLatitude: false, isNegative: false)),
      ("w west ouest oeste", .letter(isLatitude: false, isNegative: true)), ("deg", .unit(0)),
    ]
    return points.reduce(into: [:]) { tokens, point in
      for word in point.words.split(separator: " ") { tokens[TextKey(String(word))] = point.token }
    }
  }()

  private static func letters(_ word: String) -> Token? { compass[TextKey(word.lowercased())] }
}
