internal import ArgumentParser
internal import CitiesProtocol

/// `bank search WORDS…`: locations whose name and address hold every word.
struct BankSearchVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "search", in: "bank", usage: "[<options>] <words> …",
    abstract: "Find locations by words of their name and address.",
    discussion: """
      Every word must occur somewhere in the name or the address; case and accents do not matter. The columns are those \
      of 'citiesctl bank list', the order is by name; '' finds every location.

        citiesctl bank search narva mnt
        citiesctl bank search keskus --kind atm --country ee
      """)

  @Argument(help: "Words of the name or the address.")
  private var words: [String] = []

  @OptionGroup(title: "Filter") var filter: BankFilterOptions
  @OptionGroup(title: "Page") var page: PageOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses a search for nothing, and what contradicts itself.
  func validate() throws {
    if words.isEmpty { throw ValidationError("words to search for are missing; '' finds every location") }
    if page.count { try rendering.requireNumber() }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let query = words.map(ArgumentRewriter.unmarked).joined(separator: " ")
    let request = BankSearch(
      query: query, filter: filter.conditions, offset: page.offset == 0 ? nil : page.offset)
    return try context.renderLocations(
      request, page, rendering, connection, isUnderHeadings: false,
      empty: "no location has \"\(query)\" in its name and address; fewer words find more")
  }
}
