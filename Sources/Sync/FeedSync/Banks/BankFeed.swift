import Banks
import CitiesProtocol
import Resident
import Text

/// The formats of user-defined feeds, by their names in the configuration.
package enum BankFormat: String, CaseIterable, Codable, Sendable, ClosedWord {
  /// A finder file of Swedbank: ``SwedbankFile``.
  case finder
  /// The file of the other bank: ``ImaginaryFile``.
  case imaginary
  /// Points with properties (RFC 7946): ``GeoJSONFile``.
  case geojson
  /// Lines with a header row (RFC 4180): ``CSVFile``.
  case csv

  /// Reads a word.
  ///
  /// - Throws: for any other text, with the valid words.
  package init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }

  /// The reader of this format.
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

  /// Whether `name` is valid for a feed: it becomes a file name, and the bank's name in ids and filters.
  package static func isFeedName(_ name: String) -> Bool {
    let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    guard let first = name.utf8.first, isLetter(first), name.utf8.count <= longestName else { return false }
    return name.utf8.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    }
  }
}

/// A feed of bank locations: its format, its country and its time zone.
struct BankFeed: Sendable {
  /// An invalid setting.
  struct Problem {
    let key: String
    let text: String
    /// The problem, and how to correct it.
    let sentence: String
  }

  let name: FeedName
  /// The upstream format.
  let format: BankFormat
  /// Country and time zone as configured, valid or not.
  let place: BankPlace
  /// The country that replaces an invalid one.
  private let usualCountry: String

  /// The country in reports if the configured one is not a code: ISO 3166 reserves it for users.
  private static let unknownCountry = "XX"

  /// The feed `name` as `configuration` sets it up; `nil` if it has no locations.
  init?(_ name: FeedName, _ configuration: FeedConfiguration) {
    guard let usual = FeedCatalogue.entry(of: name)?.bank ?? configuration.format.map({ ($0, "", "") }) else {
      return nil
    }
    (self.name, format) = (name, usual.format)
    usualCountry = usual.country.isEmpty ? Self.unknownCountry : usual.country
    place = BankPlace(
      bank: name.rawValue, country: configuration.country ?? usual.country,
      zone: configuration.zone ?? usual.zone)
  }

  /// The settings that affect the result of an import.
  ///
  /// They include the name of a configured country, because every row has it.
  var settings: [String] {
    let name = place.country == usualCountry ? [] : [CountryName.name(of: place.country)]
    return [place.country, place.zone] + (self.name.subject == nil ? [format.rawValue] : []) + name
  }

  /// ``place`` with invalid values replaced by ones that an index accepts, for locations that are already stored.
  var validPlace: BankPlace {
    BankPlace(
      bank: place.bank, country: isCode(place.country) ? place.country : usualCountry,
      zone: ZoneFolder.isName(place.zone) ? place.zone : BankLocation.unknownZone)
  }

  /// The configured country, if that is a code.
  var country: String? { isCode(place.country) ? place.country : nil }

  /// The faults of the country and zone: with an unknown zone, or a guess, opening hours would be wrong.
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
      let text = "no country \"\(place.country.excerpt(40))\": expected two capital letters"
      problems.append(problem("country", text, as: suggestedCountry))
    }
    return problems
  }

  /// A country that looks like a code and is not assigned: a warning only, its locations are imported.
  var unknownCountry: Problem? {
    guard isCode(place.country), CountryName[place.country] == nil else { return nil }
    return problem("country", "no country has the code \"\(place.country)\"", as: suggestedCountry)
  }

  /// The code to suggest: the one probably meant.
  private var suggestedCountry: String { CountryName.codes(called: place.country).first ?? "LT" }

  private static let zoneKey = "zone"

  /// The faults of the configured country and zone of `feed`; none if it has no locations.
  ///
  /// They include warnings, which do not stop a service.
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
