package import ArgumentParser
package import CitiesProtocol

/// `locate < TABLE`: the city at each position of a table.
package struct LocateVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "locate", usage: "[<options>] < <table>",
    abstract: "Add the city at each position to a table.",
    discussion: """
      Reads rows from standard input and writes them with three columns at their ends: the city's id, its title and the \
      distance in whole metres. All other bytes stay as they are, and so does the order. --lat and --lon name the columns \
      with the degrees: numbers, counted from 1, or names, which the first row then has. A row without a position gets \
      empty columns; standard error says which rows these are, and the exit status is 4.

        # Add cities to a table whose first two columns are degrees
        citiesctl locate < positions.tsv
        # Find the columns by their names
        citiesctl locate --input csv --lat lat --lon lng < trips.csv
        # Count how many positions are nearest to each city
        cut -f3,4 trips.tsv | citiesctl locate | cut -f4 | sort | uniq -c
      """)

  @Option(
    name: .customLong("lat"),
    help: ArgumentHelp("The column with the latitudes: a number or a name (default: 1).", valueName: "column"))
  private var latWord: String?

  @Option(
    name: .customLong("lon"),
    help: ArgumentHelp("The column with the longitudes (default: 2).", valueName: "column"))
  private var lonWord: String?

  @Option(
    name: .customLong("input"),
    help: ArgumentHelp("The form of the table: tsv (the default) or csv.", valueName: "form"),
    completion: Choice.completion(of: TableForm.self))
  private var inputWord: String?

  @Option(
    name: .customLong("rule"),
    help: ArgumentHelp(
      "Which city: nearest (the default) or place (the one that people mean).", valueName: "rule"),
    completion: Choice.completion(of: CityNear.Rule.self))
  private var ruleWord: String?

  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// For the parser.
  package init() {}

  /// A column of a table.
  package enum Column: Equatable {
    /// Counted from 1.
    case number(Int)
    /// As the first row has it.
    case name(String)
  }

  /// The columns with the degrees.
  package var columns: (lat: Column, lon: Column) {
    get throws { (try Self.column("--lat", latWord ?? "1"), try Self.column("--lon", lonWord ?? "2")) }
  }

  /// The form of the table.
  package var form: TableForm {
    get throws { try Choice.read("--input", inputWord) ?? .tsv }
  }

  /// Which city, unless it is the nearest.
  package var rule: CityNear.Rule? {
    get throws { try Choice.read("--rule", ruleWord) }
  }

  private static func column(_ option: String, _ word: String) throws -> Column {
    let word = ArgumentRewriter.unmarked(word)
    guard !word.isEmpty else { throw ValidationError("\(option) wants a column") }
    guard word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .name(word) }
    guard let number = Int(word), (1...10_000).contains(number) else {
      throw ValidationError("\(option) wants a column from 1 to 10000, not '\(word)'")
    }
    return .number(number)
  }

  /// Refuses unknown names, and a number beside a name: the first row either has names or not.
  package func validate() throws {
    _ = (try form, try rule)
    switch try columns {
    case (.number, .number), (.name, .name): return
    default: throw ValidationError("--lat and --lon want two numbers or two names")
    }
  }
}

/// The form of a table that is read.
package enum TableForm: String, CaseIterable, Sendable {
  /// Values between TABs, a row a line.
  case tsv
  /// RFC 4180: values between commas, some of them in quotes.
  case csv
}
