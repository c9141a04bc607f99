internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `bank regions`: the countries with their regions.
struct BankRegionsVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "regions", in: "bank", usage: "[<options>]",
    abstract: "List countries and regions with their numbers of locations.",
    discussion: """
      In a table countries are headings; the other formats have a row for each region, with the columns country, \
      country_name, region and count. Options that leave out locations leave out their regions.

        citiesctl bank regions --kind atm
      """)

  @OptionGroup(title: "Filter") var filter: BankFilterOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  func perform(in context: Context) throws -> ExitStatus {
    let request = BankRegions(filter: filter.conditions)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    let listing = RegionListing.of(reply)
    try context.render(listing, rendering)
    try context.output.flush()
    PageReport(shown: UInt64(listing.rows.count), total: listing.total, offset: 0)
      .tell(context.diagnostics, empty: "no location fits; fewer options find more")
    context.tell(unknownHours: reply.unknownHours)
    SourceNotes(sources: reply.sources).tell(context, rendering)
    return listing.rows.isEmpty ? .nothingFound : .found
  }
}
