import Banks
import CitiesProtocol
import Resident

/// The formats that a feed of the user's own may have, as its configuration names them.
package enum BankFormat: String, CaseIterable, Sendable {
  /// A finder file of Swedbank: ``SwedbankFile``.
  case finder
  /// The file of the other bank: ``ImaginaryFile``.
  case imaginary
  /// Points with properties (RFC 7946): ``GeoJSONFile``.
  case geojson
  /// Lines with a header row (RFC 4180): ``CSVFile``.
  case csv

  /// Reads a file of the format.
  var file: any BankFile {
    switch self {
    case .finder: SwedbankFile()
    case .imaginary: ImaginaryFile()
    case .geojson: GeoJSONFile()
    case .csv: CSVFile()
    }
  }

  /// The longest name of a feed, in bytes.
  static let longestName = 32

  /// Whether `name` can be that of a feed: it becomes a file's name, and the name of the bank in ids and filters.
  package static func isFeedName(_ name: String) -> Bool {
    let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    guard let first = name.utf8.first, isLetter(first), name.utf8.count <= longestName else { return false }
    return name.utf8.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    }
  }
}

/// A feed with locations of a bank: its format, and where its locations are.
struct BankFeed: Sendable {
  /// Something that is wrong with a setting.
  struct Problem {
    /// The setting's key.
    let key: String
    /// The problem.
    let text: String
    /// The problem, and how to correct it.
    let sentence: String
  }

  /// The feed.
  let name: FeedName
  /// Reads the upstream format.
  let file: any BankFile
  /// Country and time zone as configured, right or wrong.
  let place: BankPlace
  /// What the country is if nothing right is configured.
  private let usualCountry: String
  private let format: BankFormat?

  /// The zone of locations whose configured zone is not even a name: there are no rules for it, so that hours are
  /// unknown.
  private static let unknownZone = "Etc/Unknown"
  /// The country of locations whose configured country is not a code: ISO 3166 leaves it to users.
  private static let unknownCountry = "XX"

  /// The feed `name` as `configuration` sets it up; `nil` if it has no locations.
  init?(_ name: FeedName, _ configuration: FeedConfiguration) {
    let usual: (file: any BankFile, country: String, zone: String)
    switch name {
    case .swedbankEE: usual = (SwedbankFile(), "EE", "Europe/Tallinn")
    case .swedbankLV: usual = (SwedbankFile(), "LV", "Europe/Riga")
    case .swedbankLT: usual = (SwedbankFile(), "LT", "Europe/Vilnius")
    case .imaginary: usual = (ImaginaryFile(), "BA", "Europe/Sarajevo")
    default:
      guard let format = configuration.format else { return nil }
      usual = (format.file, "", "")
    }
    (self.name, file, format) = (name, usual.file, configuration.format)
    usualCountry = usual.country.isEmpty ? Self.unknownCountry : usual.country
    place = BankPlace(
      bank: name.rawValue, country: configuration.country ?? usual.country,
      zone: configuration.zone ?? usual.zone)
  }

  /// The settings that change what is made of a source.
  ///
  /// The country's name is among them if the country is configured: it is in every row.
  var settings: [String] {
    let name = place.country == usualCountry ? [] : [CountryName.name(of: place.country)]
    return [place.country, place.zone] + (format.map { [$0.rawValue] } ?? []) + name
  }

  /// ``place`` with values that an index accepts in the place of wrong ones, for locations that are stored already.
  var soundPlace: BankPlace {
    BankPlace(
      bank: place.bank, country: isCode(place.country) ? place.country : usualCountry,
      zone: ZoneFolder.isName(place.zone) ? place.zone : Self.unknownZone)
  }

  /// The configured country, if that is a code.
  var country: String? { isCode(place.country) ? place.country : nil }

  /// The faults of the place: an unknown zone would make opening hours wrong, and no zone is a guess.
  func problems(_ zones: ZoneFolder) -> [Problem] {
    var problems: [Problem] = []
    if place.zone.isEmpty {
      problems.append(problem(Self.zoneKey, "no time zone", as: "Europe/Vilnius"))
    } else {
      do throws(ZoneFolderError) {
        _ = try zones.rules(for: place.zone)
      } catch {
        problems.append(problem(Self.zoneKey, "\(error)", as: "Europe/Vilnius"))
      }
    }
    if !isCode(place.country) {
      let text = "no country \"\(place.country.prefix(40))\": expected two capital letters"
      problems.append(problem("country", text, as: meantCountry))
    }
    return problems
  }

  /// The fault of a country that could be one and is none; its locations are taken all the same.
  var unknownCountry: Problem? {
    guard isCode(place.country), !CountryName.isKnown(place.country) else { return nil }
    return problem("country", "no country has the code \"\(place.country)\"", as: meantCountry)
  }

  /// The code to name as an example: the one that was probably meant.
  private var meantCountry: String { CountryName.code(meantBy: place.country) ?? "LT" }

  /// The key of the time zone.
  private static let zoneKey = "zone"

  /// The faults of the place of `feed` as `configuration` has it; none of a feed without locations.
  ///
  /// They include those that a service can live with.
  static func problems(of feed: FeedName, _ configuration: FeedConfiguration, _ zones: ZoneFolder) -> [Problem] {
    guard let feed = BankFeed(feed, configuration) else { return [] }
    return feed.problems(zones) + [feed.unknownCountry].compactMap(\.self)
  }

  private func problem(_ key: String, _ text: String, as example: String) -> Problem {
    let remedy = """
      correct feeds.\(name.rawValue).\(key) in the configuration, or \
      \(SyncConfiguration.variable(of: name))_\(key.uppercased()), as \(example)
      """
    return Problem(key: key, text: "\(text); such as \(example)", sentence: "\(text); \(remedy)")
  }

  private func isCode(_ country: String) -> Bool {
    country.utf8.count == 2 && country.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }
}
