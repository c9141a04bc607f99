import CitiesProtocol
import Resident

/// One of the feeds with locations: its format, and what it is taken for unless something else is configured.
struct BankFeed: Sendable {
  /// The feed.
  let name: FeedName
  /// The upstream format.
  let file: any BankFile
  private let usualCountry: String
  private let usualZone: String

  /// All of them, in the order of ``ResidentBanks/feeds``.
  static let all = [
    BankFeed(.swedbankEE, SwedbankFile(), "EE", "Europe/Tallinn"),
    BankFeed(.swedbankLV, SwedbankFile(), "LV", "Europe/Riga"),
    BankFeed(.swedbankLT, SwedbankFile(), "LT", "Europe/Vilnius"),
    BankFeed(.imaginary, ImaginaryFile(), "BA", "Europe/Sarajevo"),
  ]

  private init(_ name: FeedName, _ file: any BankFile, _ country: String, _ zone: String) {
    (self.name, self.file, usualCountry, usualZone) = (name, file, country, zone)
  }

  /// What `configuration` makes of the feed's locations.
  func place(_ configuration: FeedConfiguration) -> BankPlace {
    BankPlace(
      bank: name.rawValue, country: configuration.country ?? usualCountry, zone: configuration.timezone ?? usualZone)
  }

  /// Refuses a place that no location can have: an unknown zone would make opening hours wrong, and no zone is a guess.
  ///
  /// - Throws: ``FeedError`` with the configuration's key.
  func check(_ place: BankPlace, _ zones: ZoneFolder) throws(FeedError) {
    do throws(ZoneFolderError) {
      _ = try zones.rules(for: place.zone)
    } catch {
      throw FeedError(.badData, "\(error); \(remedy("timezone", "Europe/Vilnius"))")
    }
    guard isCode(place.country) else {
      throw FeedError(
        .badData, "no country \"\(place.country.prefix(40))\": expected two capital letters; \(remedy("country", "LT"))"
      )
    }
  }

  /// The zone of locations whose configured zone is not even a name: there are no rules for it, so that hours are unknown.
  private static let unknownZone = "Etc/Unknown"

  /// `place` with values that an index accepts in the place of wrong ones, for locations that are stored already.
  func sound(_ place: BankPlace) -> BankPlace {
    BankPlace(
      bank: place.bank, country: isCode(place.country) ? place.country : usualCountry,
      zone: ZoneFolder.isName(place.zone) ? place.zone : Self.unknownZone)
  }

  private func isCode(_ country: String) -> Bool {
    country.utf8.count == 2 && country.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }

  private func remedy(_ key: String, _ example: String) -> String {
    """
    correct feeds.\(name.rawValue).\(key) in the configuration, or \
    \(SyncConfiguration.variable(of: name))_\(key.uppercased()), as \(example)
    """
  }
}
