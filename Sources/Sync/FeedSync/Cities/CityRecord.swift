import Cities

/// One element of the JSON list, as written.
struct CityRecord {
  /// The members with a single value, in the order of ``keys``.
  private enum Field: Int {
    case id, name, country, population, region, regionCode, countyCode, zone, latitude, longitude
  }
  /// The keys of fields; the last two are within `coord`.
  private static let keys: [StaticString] = [
    "_id", "name", "country", "population", "region", "region_code", "county_code", "timezone", "lat", "lon",
  ]

  private var kind = JSONKind.object
  private var coordinateKind: JSONKind?
  private var fields = InlineArray<10, JSONField>(repeating: .missing)
  private var alternatesKind: JSONKind?
  private var alternates = AlternateNames()
  private var languagesProblem: String?
  private var languages: [TextKey: Int] = [:]

  /// Reads the next value, of any kind.
  init(_ scanner: inout JSONScanner) throws(JSONFault) {
    kind = try scanner.peek()
    guard kind == .object else {
      try scanner.skipValue()
      return
    }
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      if let field = Self.keys[..<Field.latitude.rawValue].firstIndex(where: { key == $0 }) {
        try scanner.readField(into: &fields[field])
      } else if key == "coord" {
        try readCoordinates(&scanner)
      } else if key == "alternatenames" {
        try readAlternates(&scanner)
      } else if key == "languages" {
        try readLanguages(&scanner)
      } else {
        try scanner.skipValue()
      }
    }
  }

  private mutating func readCoordinates(_ scanner: inout JSONScanner) throws(JSONFault) {
    let kind = try scanner.peek()
    guard coordinateKind == nil, kind == .object else {
      if coordinateKind == nil { coordinateKind = kind }
      return try scanner.skipValue()
    }
    coordinateKind = kind
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      guard let field = Self.keys[Field.latitude.rawValue...].firstIndex(where: { key == $0 }) else {
        return try scanner.skipValue()
      }
      try scanner.readField(into: &fields[field])
    }
  }

  /// Reads how many languages use each name, for at most as many names as a city may have.
  private mutating func readLanguages(_ scanner: inout JSONScanner) throws(JSONFault) {
    let kind = try scanner.peek()
    guard kind == .object else {
      if kind != .null { languagesProblem = "is \(kind), where an object is expected" }
      return try scanner.skipValue()
    }
    try scanner.readObject { (scanner, name) throws(JSONFault) in
      if case .number(let number) = try scanner.readField(), languages.count < CityRule.maximumAlternates,
        let count = number.integer(Int.self)
      {
        languages[name.text] = count
      } else {
        languagesProblem = "has a value that is not a number, or more than \(CityRule.maximumAlternates) names"
      }
    }
  }

  /// Reads an array of texts, or one text with commas, as GeoNames writes it.
  private mutating func readAlternates(_ scanner: inout JSONScanner) throws(JSONFault) {
    let kind = try scanner.peek()
    guard alternatesKind == nil, kind == .array || kind == .string else {
      if alternatesKind == nil { alternatesKind = kind }
      return try scanner.skipValue()
    }
    alternatesKind = kind
    guard kind == .array else {
      let text = try scanner.readString()
      guard text.invalidOffset == nil else { return alternates.addUnreadable("is not UTF-8") }
      return alternates.add(separatedByCommas: text.text)
    }
    try scanner.readArray { (scanner) throws(JSONFault) in
      switch try scanner.readField() {
      case .text(let name): alternates.add(name)
      case .invalidText: alternates.addUnreadable("is not UTF-8")
      default: alternates.addUnreadable("is not a text")
      }
    }
  }

  private subscript(field: Field) -> JSONField { fields[field.rawValue] }

  /// The city that the record describes, without ``details``.
  ///
  /// - Throws: ``RecordProblem`` with the first field that is wrong.
  func city() throws(RecordProblem) -> City {
    guard kind == .object else { throw RecordProblem("the record is \(kind == .null ? "null" : "not an object")") }
    switch coordinateKind {
    case nil: throw RecordProblem("coord is missing")
    case .null: throw RecordProblem("coord is null")
    case .object: break
    default: throw RecordProblem("coord is not an object")
    }
    return City(
      id: try Self.number(self[.id], "_id") { $0.wholeValue(UInt64.self) },
      name: try Self.text(self[.name], "name"), country: try Self.text(self[.country], "country"),
      latitude: try Self.number(self[.latitude], "coord.lat", \.double),
      longitude: try Self.number(self[.longitude], "coord.lon", \.double),
      population: [.missing, .null].contains(self[.population])
        ? nil : try Self.number(self[.population], "population") { $0.wholeValue(UInt64.self) })
  }

  /// The optional texts.
  var details: CityDetails {
    var details = CityDetails()
    details.alternates = alternates
    if let languagesProblem {
      details.leaveOut("languages", languagesProblem)
    } else {
      details.languages = languages
    }
    switch alternatesKind {
    case nil, .null, .array, .string: break
    case let kind?: details.leaveOut("alternatenames", "is \(kind), where an array or text is expected")
    }
    details.region = Self.optionalText(self[.region], "region", &details)
    details.zone = Self.optionalText(self[.zone], "timezone", &details)
    details.regionCode = Self.code(self[.regionCode], "region_code", &details)
    details.countyCode = Self.code(self[.countyCode], "county_code", &details)
    return details
  }

  /// A code; it may be a JSON number, such as 6.
  private static func code(_ field: JSONField, _ key: String, _ details: inout CityDetails) -> String {
    if case .number(let number) = field, number.integer(UInt64.self) != nil { return number.text }
    return optionalText(field, key, &details)
  }

  private static func optionalText(_ field: JSONField, _ key: String, _ details: inout CityDetails) -> String {
    switch field {
    case .text(let text): return text
    case .missing, .null: return ""
    case .invalidText: details.leaveOut(key, "is not UTF-8")
    case .number, .other: details.leaveOut(key, "is not a text")
    }
    return ""
  }

  private static func text(_ field: JSONField, _ key: String) throws(RecordProblem) -> String {
    switch field {
    case .text(let text): return text
    case .invalidText(let offset): throw .invalidText(key, at: offset)
    case .missing: throw RecordProblem("\(key) is missing")
    case .null: throw RecordProblem("\(key) is null")
    default: throw RecordProblem("\(key) is not a text")
    }
  }

  private static func number<Number>(
    _ field: JSONField, _ key: String, _ value: (JSONNumber) -> Number?
  ) throws(RecordProblem) -> Number {
    switch field {
    case .number(let number):
      guard let value = value(number) else { throw RecordProblem("\(key): the number is out of range") }
      return value
    case .missing: throw RecordProblem("\(key) is missing")
    case .null: throw RecordProblem("\(key) is null")
    default: throw RecordProblem("\(key) is not a number")
    }
  }
}
