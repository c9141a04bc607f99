internal import CitiesProtocol

/// Writes a listing in the format that was requested: the one switch over all formats.
struct RowRenderer {
  var format: OutputFormat
  /// Names of columns; all if empty.
  var columns: [String] = []
  /// Whether a row ends with NUL instead of LF, and its values are written as they are.
  var endsRowsWithNUL = false
  /// Whether texts in csv that a spreadsheet would take for a formula start with an apostrophe.
  var isCSVSafe = false
  /// The looks of a table's parts; nil for plain text.
  var colours: Colours?
  /// Cells of a table's line at most; nil where there is no terminal.
  var width: Int?
  /// Whether the terminal shows more than ASCII.
  var showsUnicode = true

  /// Writes `listing`, head and foot included.
  ///
  /// - Throws: ``CommandFailure`` for a column or format that the listing does not have, ``OutputError``.
  func render<Row>(_ listing: Listing<Row>, to output: OutputStream) throws {
    switch format {
    case .table: try writeTable(listing, listing.choosing(columns, for: .table), to: output)
    case .tsv: try writeTSV(listing.rows, listing.choosing(columns, for: .rows), to: output)
    case .csv: try writeCSV(listing.rows, listing.choosing(columns, for: .rows), to: output)
    case .json: try writeJSON(listing, listing.choosing(columns, for: .json), to: output)
    case .jsonl: try writeJSONLines(listing, listing.choosing(columns, for: .json), to: output)
    case .geojson: try writeGeoJSON(listing, listing.choosing(columns, for: .json), to: output)
    case .prometheus: throw CommandFailure.usage("--output prometheus cannot be combined with --columns")
    }
  }

  private func writeTable<Row>(_ listing: Listing<Row>, _ columns: [ListingColumn<Row>], to output: OutputStream) throws
  {
    let table = Table(
      columns: columns, headings: listing.headings, colours: colours, query: listing.query, width: width,
      mayDropColumns: self.columns.isEmpty, keepsColumns: listing.keepsColumns, ellipsis: showsUnicode ? "…" : "~")
    try table.write(listing.rows, to: output)
    for note in listing.notes { output.write(visible(note) + "\n") }
  }

  func writeTSV<Row>(_ rows: [Row], _ columns: [ListingColumn<Row>], to output: OutputStream) throws {
    let isTerminal = output.isTerminal
    var line: [UInt8] = []
    for row in rows {
      line.removeAll(keepingCapacity: true)
      for (index, column) in columns.enumerated() {
        if index > 0 { line.append(UInt8(ascii: "\t")) }
        let value = column.value(row).plain
        if endsRowsWithNUL {
          line += (isTerminal ? visible(value) : withoutNULs(value)).utf8
        } else {
          line.appendTSV(value, onTerminal: isTerminal)
        }
      }
      line.append(endsRowsWithNUL ? 0 : UInt8(ascii: "\n"))
      output.bytes += line
      try output.endRow()
    }
  }

  private func writeCSV<Row>(_ rows: [Row], _ columns: [ListingColumn<Row>], to output: OutputStream) throws {
    let isTerminal = output.isTerminal
    output.write(columns.map(\.name).joined(separator: ",") + "\r\n")
    for row in rows {
      let start = output.bytes.count
      for (index, column) in columns.enumerated() {
        if index > 0 { output.write(",") }
        let cell = column.value(row)
        let isRisky = isCSVSafe && cell.startsLikeFormula
        output.bytes.appendCSV((isRisky ? "'" : "") + cell.plain, onTerminal: isTerminal)
      }
      // Readers of csv skip blank lines.
      output.write(output.bytes.count == start ? "\"\"\r\n" : "\r\n")
      try output.endRow()
    }
  }

  private func writeJSON<Row>(_ listing: Listing<Row>, _ fields: [ListingColumn<Row>], to output: OutputStream) throws {
    output.write("{\"total\":\(listing.total)")
    output.bytes.appendMember("generation", RowValue(listing.generation))
    output.bytes.appendMember("as_of", RowValue(listing.shownSources?.asOf?.text))
    output.bytes.appendMembers(of: listing)
    output.write(",\"rows\":[")
    for (index, row) in listing.rows.enumerated() {
      output.write(index == 0 ? "\n" : ",\n")
      output.bytes.appendJSONObject(row, fields)
      try output.endRow()
    }
    output.write(listing.rows.isEmpty ? "]}\n" : "\n]}\n")
  }

  /// Lines are read one by one, so each says of itself if its data is made up.
  private func writeJSONLines<Row>(_ listing: Listing<Row>, _ fields: [ListingColumn<Row>], to output: OutputStream)
    throws
  {
    let sample = ListingColumn<Row>("sample") { _ in .flag(true) }
    let fields = listing.shownSources?.sample == true && columns.isEmpty ? fields + [sample] : fields
    for row in listing.rows {
      output.bytes.appendJSONObject(row, fields)
      output.write("\n")
      try output.endRow()
    }
  }

  private func writeGeoJSON<Row>(_ listing: Listing<Row>, _ fields: [ListingColumn<Row>], to output: OutputStream)
    throws
  {
    guard listing.position != nil || listing.city != nil else {
      throw CommandFailure.usage("--output geojson needs rows with a position")
    }
    let properties = fields.filter { $0.name != "lat" && $0.name != "lon" }
    output.write("{\"type\":\"FeatureCollection\"")
    // Foreign members (RFC 7946 §6.1).
    output.bytes.appendMembers(of: listing)
    output.write(",\"features\":[")
    for (index, row) in listing.rows.enumerated() {
      let point = listing.position(of: row)
      output.write(index == 0 ? "\n" : ",\n")
      // RFC 7946 §3.1.1: longitude first.
      let geometry = point.map { point in
        "{\"type\":\"Point\",\"coordinates\":[\(decimalText(point.lon)),\(decimalText(point.lat))]}"
      }
      // RFC 7946 §3.2: a feature without a place has null.
      output.write("{\"type\":\"Feature\",\"geometry\":\(geometry ?? "null"),\"properties\":")
      output.bytes.appendJSONObject(row, properties)
      output.write("}")
      try output.endRow()
    }
    output.write(listing.rows.isEmpty ? "]}\n" : "\n]}\n")
  }
}

extension RowRenderer {
  /// Writes `listing` through a pager where it is longer than the terminal.
  func render<Row>(_ listing: Listing<Row>, to output: OutputStream, through pager: Pager) throws {
    let page = OutputStream(descriptor: -1)
    page.keepsEverything = true
    try render(listing, to: page)
    guard Pager.isNeeded(for: page.bytes, on: output.descriptor), pager.show(page.bytes) else {
      output.bytes += page.bytes
      return
    }
  }
}

extension [UInt8] {
  /// Appends a row as an object; absent values are left out.
  mutating func appendJSONObject<Row>(_ row: Row, _ fields: [ListingColumn<Row>]) {
    let start = count
    for field in fields { appendMember(field.name, field.value(row)) }
    // The brace takes the place of the first member's comma.
    if count == start { append(UInt8(ascii: "{")) } else { self[start] = UInt8(ascii: "{") }
    append(UInt8(ascii: "}"))
  }

  /// Appends rows as objects with commas between them.
  mutating func appendJSONObjects<Row>(_ rows: [Row], _ fields: [ListingColumn<Row>]) {
    for (index, row) in rows.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendJSONObject(row, fields)
    }
  }

  /// Appends what is said of all rows: the listing's own members, whether the data is made up, where it comes from.
  mutating func appendMembers<Row>(of listing: Listing<Row>) {
    for member in listing.members { appendMember(member.name, member.value) }
    appendMembers(of: listing.shownSources)
    if let sources = listing.shownSources { appendMember("sources", .wire(sources.feeds, "")) }
  }

  /// Appends whether data is made up, and the feeds that are missing.
  mutating func appendMembers(of sources: Provenance?) {
    guard let sources else { return }
    if sources.sample { appendMember("sample", .flag(true)) }
    if !sources.missingFeeds.isEmpty { appendMember("missing", .wire(sources.missingFeeds, "")) }
  }

  /// Appends `,"name":value` unless the value is absent.
  mutating func appendMember(_ name: String, _ value: RowValue) {
    guard value != .absent else { return }
    append(UInt8(ascii: ","))
    appendJSON(name)
    append(UInt8(ascii: ":"))
    appendJSON(value)
  }
}
