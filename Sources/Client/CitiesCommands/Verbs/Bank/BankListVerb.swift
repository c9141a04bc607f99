internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `bank list`: locations under their headings.
struct BankListVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "list", in: "bank", usage: "[<options>]",
    abstract: "List locations by country, region and name.",
    discussion: """
      In a table countries and regions are headings. The columns of tsv and csv are title, lat, lon, id, bank, kind, \
      country, country_name, region, name, address, open, phone, email, website, no_cash, coin_station, availability, \
      info, hours, zone and code.

        citiesctl bank list --country Lithuania --region Alytus
        citiesctl bank list --kind branch --open-now --columns title,address
        citiesctl bank list --all --output geojson > locations.geojson
      """)

  @OptionGroup(title: "Filter") var filter: BankFilterOptions
  @OptionGroup(title: "Page") var page: PageOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses what contradicts itself.
  func validate() throws {
    if page.count { try rendering.requireNumber() }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = BankList(filter: filter.conditions, offset: page.offset == 0 ? nil : page.offset)
    return try context.renderLocations(
      request, page, rendering, connection, isUnderHeadings: true,
      empty: "no location fits; 'citiesctl bank regions' tells where there are some")
  }
}

extension Context {
  /// Asks for pages of locations and writes them, or their number alone.
  func renderLocations<Message: PagedRequest>(
    _ request: Message, _ page: PageOptions, _ rendering: OutputOptions, _ connection: ConnectionOptions,
    isUnderHeadings: Bool, empty: String
  ) throws -> ExitStatus where Message.Reply == BankPage {
    let (reply, _) = try ask(connection) { (client) throws(ClientError) in
      try Pages(client: client, first: request, wanted: page.wanted(BankList.defaultLimit)).fetch()
    }
    defer {
      tell(unknownHours: reply.unknownHours)
      SourceNotes(sources: reply.sources).tell(self, rendering)
    }
    if page.count {
      return try render(
        count: reply.total, generation: reply.generation, sample: reply.sources.sample, rendering)
    }
    try render(BankListing.of(reply, isUnderHeadings: isUnderHeadings), rendering)
    try output.flush()
    PageReport(shown: UInt64(reply.rows.count), total: reply.total, offset: page.offset)
      .tell(diagnostics, empty: empty)
    return reply.rows.isEmpty ? .nothingFound : .found
  }

  /// Notes how many locations `--open-now` left out that may be open: an answer must not pass for complete.
  package func tell(unknownHours count: UInt64?) {
    guard let count, count > 0 else { return }
    let subject = count == 1 ? "1 location was left out because its" : "\(count) locations were left out because their"
    diagnostics.note("unknown-hours", "\(subject) hours are unknown")
  }
}
