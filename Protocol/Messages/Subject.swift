/// A subject of the server's data: an open set of names.
public struct Subject: OpenWord {
  /// The name on the wire.
  public var rawValue: String
  /// Any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The cities.
  public static let cities = Subject(rawValue: "cities")
  /// Locations of banks.
  public static let banks = Subject(rawValue: "banks")
  /// Products and currency rates.
  public static let trade = Subject(rawValue: "trade")

  /// The subjects of this build.
  public static let all: [Subject] = [.cities, .banks, .trade]

  /// The feeds of this build that it is made from, in the order of ``FeedName/all``.
  public var feeds: [FeedName] { FeedName.all.filter { $0.subject == self } }
}

/// A source that `citiesd-sync` turns into a resident file: an open set of names.
public struct FeedName: OpenWord {
  /// The name on the wire, in the configuration and on the command line.
  public var rawValue: String
  /// Any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The city list.
  public static let cities = FeedName(rawValue: "cities")
  /// Swedbank's locations in Estonia.
  public static let swedbankEE = FeedName(rawValue: "swedbank-ee")
  /// Swedbank's locations in Latvia.
  public static let swedbankLV = FeedName(rawValue: "swedbank-lv")
  /// Swedbank's locations in Lithuania.
  public static let swedbankLT = FeedName(rawValue: "swedbank-lt")
  /// The locations of the other bank.
  public static let imaginary = FeedName(rawValue: "imaginary")
  /// Currency rates.
  public static let rates = FeedName(rawValue: "rates")
  /// Product transactions.
  public static let transactions = FeedName(rawValue: "transactions")

  /// The feeds of this build with their subjects, in the order of reports.
  private static let subjects: KeyValuePairs<FeedName, Subject> = [
    .cities: .cities, .swedbankEE: .banks, .swedbankLV: .banks, .swedbankLT: .banks, .imaginary: .banks,
    .rates: .trade, .transactions: .trade,
  ]

  /// The feeds of this build.
  public static let all = subjects.map(\.key)

  /// The subject built from this feed; `nil` for a feed unknown to this build.
  public var subject: Subject? { Self.subjects.first { $0.key == self }?.value }

  /// The subject built from this feed; a feed unknown to this build is user-defined, with locations of a bank.
  public var servedSubject: Subject { subject ?? .banks }
}
