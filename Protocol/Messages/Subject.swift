/// A subject of the server's data: an open set of names.
public struct Subject: RawRepresentable, Codable, Hashable, Sendable {
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
}

/// A source that `citiesd-sync` turns into a resident file: an open set of names.
public struct FeedName: RawRepresentable, Codable, Hashable, Sendable {
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

  /// The feeds of this build.
  public static let all: [FeedName] = [
    .cities, .swedbankEE, .swedbankLV, .swedbankLT, .imaginary, .rates, .transactions,
  ]

  /// The subject built from this feed; `nil` for a feed unknown to this build.
  public var subject: Subject? {
    switch self {
    case .cities: .cities
    case .swedbankEE, .swedbankLV, .swedbankLT, .imaginary: .banks
    case .rates, .transactions: .trade
    default: nil
    }
  }

  /// The subject built from this feed; a feed unknown to this build is user-defined, with locations of a bank.
  public var servedSubject: Subject { subject ?? .banks }
}
