package import CitiesProtocol
import System

/// The feeds with stored copies: their default sources and request headers.
package enum FeedCatalogue {
  /// A feed.
  package struct Entry: Sendable {
    /// Its name.
    package var name: FeedName
    /// The default source; `nil` if it must be configured.
    package var url: String?
    /// Header lines of its requests.
    package var headers: [String]
    /// Its file among the samples.
    package var sample: String
    /// The format, country and time zone of its locations, if it has any.
    var bank: (format: BankFormat, country: String, zone: String)?
  }

  /// All of them, in the order of ``FeedName/all``.
  package static let entries: [Entry] = [
    Entry(
      name: .swedbankEE, url: "https://www.swedbank.ee/finder.json", headers: swedbank, sample: "swedbank-ee.json",
      bank: (.finder, "EE", "Europe/Tallinn")),
    Entry(
      name: .swedbankLV, url: "https://ib.swedbank.lv/finder.json", headers: swedbank, sample: "swedbank-lv.json",
      bank: (.finder, "LV", "Europe/Riga")),
    Entry(
      name: .swedbankLT, url: "https://ib.swedbank.lt/finder.json", headers: swedbank, sample: "swedbank-lt.json",
      bank: (.finder, "LT", "Europe/Vilnius")),
    Entry(name: .imaginary, headers: [], sample: "imaginary.json", bank: (.imaginary, "BA", "Europe/Sarajevo")),
    Entry(
      name: .rates, url: "https://android-ios-service.herokuapp.com/rates", headers: trade, sample: "rates.json"),
    Entry(
      name: .transactions, url: "https://android-ios-service.herokuapp.com/transactions", headers: trade,
      sample: "transactions.json"),
  ]

  /// The entry of `feed`; `nil` if there is none.
  package static func entry(of feed: FeedName) -> Entry? { entries.first { $0.name == feed } }

  /// Swedbank's servers give the list only to its own apps.
  private static let swedbank = ["Cookie: Swedbank-Embedded=iphone-app"]
  /// This server chooses the format by this header: its paths have no extension.
  private static let trade = ["Accept: application/json"]
}

/// The folder of the samples.
package enum SampleFolder {
  /// The path below an installation prefix.
  package static let name = "share/cities/sample"

  /// The first existing folder of `../share/cities/sample`, from the program's folder, and the usual prefixes.
  ///
  /// - Throws: ``FeedError`` that names the places it looked in.
  package static func find(program: String = "/proc/self/exe") throws(FeedError) -> String {
    let places = InstalledFiles.places(of: name, program: program)
    guard let found = places.first(where: isFolder(_:)) else {
      throw FeedError(
        .unavailable,
        "there are no samples in \(places.joined(separator: " or ")); contrib/build --install puts them there")
    }
    return found
  }
}

/// Files that are installed with the program.
enum InstalledFiles {
  /// The paths where `name`, relative to a prefix, may be: `../` of the program, then the usual prefixes.
  static func places(of name: String, program: String = "/proc/self/exe") -> [String] {
    var places = ["/usr/local/\(name)", "/usr/\(name)"]
    guard let resolved = ProcessEnvironment.programPath(of: program) else { return places }
    // The parent of the program's folder.
    let prefix = resolved.split(separator: "/").dropLast(2).joined(separator: "/")
    let beside = "/\(prefix)/\(name)"
    places.removeAll { $0 == beside }
    return [beside] + places
  }
}
