import Banks
import CitiesProtocol
import Testing

@testable import CitiesServer

/// Questions about locations while the file of Latvia never came.
@Suite struct MissingFeedTests {
  private static let reason = "https://ib.swedbank.lv/finder.json: status 503 instead of 200"
  private static let riga = Place(at: Position(lat: 56.95, lon: 24.1))
  private static let tallinn = Place(at: Position(lat: 59.43, lon: 24.75))

  /// A server with data of the other feeds; the reports have what a sync service writes, changed by `change`.
  private func server(_ change: (inout [FeedReport]) -> Void = { _ in }) throws -> RunningServer {
    var reports = SmallBanks.reports
    for (position, country) in ["EE", "LV", "LT", "BA"].enumerated() { reports[position].country = country }
    (reports[1].asOf, reports[1].lastError) = (nil, Self.reason)
    change(&reports)
    return try .withBanks(SmallBanks.locations.filter { $0.bank != "swedbank-lv" }, reports: reports)
  }

  private func client(_ change: (inout [FeedReport]) -> Void = { _ in }) throws -> TestClient {
    try server(change).client()
  }

  @Test func `an answer says which feed is missing and why`() throws {
    let client = try client()
    let near = try client.ask(BankNear(place: Self.riga)).sources
    for sources in [
      near, try client.ask(BankList()).sources, try client.ask(BankSearch(query: "riga")).sources,
      try client.ask(BankRegions()).sources, try client.ask(BankList(filter: BankConditions(bank: "swedbank"))).sources,
      try client.ask(BankNear(place: Self.riga, radius: 1_000)).sources,
    ] {
      #expect(sources.missingFeeds == [.swedbankLV])
      #expect(sources.feeds[1].missing == "feed swedbank-lv failed: \(Self.reason)")
    }
    #expect(near.feeds.allSatisfy { $0.excluded == nil })
  }

  @Test(arguments: [
    BankConditions(country: "ee"), BankConditions(country: "Lithuania"), BankConditions(bank: "swedbank-lt"),
    BankConditions(country: "BA", bank: "IMAGINARY"),
  ])
  func `a question about other countries or banks lacks nothing`(conditions: BankConditions) throws {
    let sources = try client().ask(BankList(filter: conditions)).sources
    #expect(sources.missingFeeds.isEmpty && sources.feeds[1].missing != nil && sources.feeds[1].excluded == true)
    #expect(sources.feeds.count { $0.excluded == true } >= 2)
  }

  @Test func `a radius that does not reach the country lacks nothing`() throws {
    let client = try client()
    #expect(try client.ask(BankNear(place: Self.tallinn, radius: 20_000)).sources.missingFeeds.isEmpty)
    #expect(try client.ask(BankNear(place: Self.tallinn, radius: 200_000)).sources.missingFeeds == [.swedbankLV])
    #expect(try client.ask(BankNear(place: Self.tallinn)).sources.missingFeeds == [.swedbankLV])
  }

  @Test(arguments: [
    BankConditions(country: "LV"), BankConditions(country: "latvia"), BankConditions(country: "Lv", region: "Rīga"),
    BankConditions(bank: "swedbank-lv"), BankConditions(region: "Rīga"),
  ])
  func `a question about the missing feed alone ends with the reason`(conditions: BankConditions) throws {
    let client = try client()
    for error in [
      try client.error(BankList(filter: conditions)), try client.error(BankRegions(filter: conditions)),
      try client.error(BankSearch(query: "a", filter: conditions)),
      try client.error(BankNear(place: Self.riga, filter: conditions)),
      try client.error(BankGet(id: "swedbank-lv-12345678")),
    ] {
      #expect(error?.code == .unavailable && error?.data?.subject == .banks && error?.data?.phase == "failed")
      #expect(error?.data?.running == false)
      #expect(error?.message == "banks: no data of swedbank-lv yet: feed swedbank-lv failed: \(Self.reason)")
    }
  }

  @Test func `known names that no location has together select nothing`() throws {
    let client = try client()
    for conditions in [
      BankConditions(country: "LV", bank: "imaginary"), BankConditions(country: "EE", bank: "swedbank-lv"),
    ] {
      let reply = try client.ask(BankList(filter: conditions))
      #expect(reply.total == 0 && reply.sources.missingFeeds.isEmpty)
      #expect(try client.ask(BankNear(place: Self.riga, filter: conditions)).rows.isEmpty)
    }
    let open = BankConditions(country: "LV", bank: "imaginary", open: true)
    #expect(try client.ask(BankRegions(filter: open)).unknownHours == 0)
  }

  @Test func `wrong names stay wrong, and the list of names has the missing ones`() throws {
    let client = try client()
    let country = try client.error(BankList(filter: BankConditions(country: "Finland")))
    #expect(country?.code == .invalidParams && country?.message.contains("Estonia, Latvia, Lithuania") == true)
    let bank = try client.error(BankList(filter: BankConditions(bank: "swed")))
    #expect(bank?.code == .invalidParams && bank?.message.contains("swedbank-lt, swedbank-lv") == true)
    let region = try client.error(BankList(filter: BankConditions(country: "EE", region: "Rīga")))
    #expect(region?.code == .invalidParams)
    let misspelt = BankConditions(country: "LV", bank: "swedbnk")
    for error in [
      try client.error(BankList(filter: misspelt)), try client.error(BankNear(place: Self.riga, filter: misspelt)),
    ] {
      #expect(error?.code == .invalidParams && error?.message.contains("no bank \"swedbnk\"") == true)
    }
    #expect(try client.error(BankGet(id: "swedbank-lt-12345678"))?.code == .notFound)
  }

  @Test func `a feed without a source is not missing`() throws {
    let client = try client { ($0[1].source, $0[1].lastError) = (nil, nil) }
    #expect(try client.ask(BankList()).sources.feeds.map(\.feed) == [.swedbankEE, .swedbankLT, .imaginary])
    #expect(try client.error(BankList(filter: BankConditions(country: "LV")))?.code == .invalidParams)
  }

  @Test func `a feed without a reported country may be anywhere`() throws {
    let client = try client { $0[1].country = nil }
    #expect(try client.ask(BankList(filter: BankConditions(country: "EE"))).sources.missingFeeds == [.swedbankLV])
    #expect(try client.error(BankList(filter: BankConditions(country: "LV")))?.code == .unavailable)
    #expect(try client.error(BankList(filter: BankConditions(bank: "swedbank-lv")))?.code == .unavailable)
  }

  @Test func `feeds of the user's own are missing like others, with the reason of the sync service`() throws {
    let own = FeedName(rawValue: "my-bank")
    let client = try client { $0.append(FeedReport(feed: own, source: "/srv/my-bank.csv", country: "FI")) }
    let sources = try client.ask(BankList()).sources
    #expect(sources.missingFeeds == [.swedbankLV, own])
    let reason = "no sync service (no sync service is configured); run citiesd-sync run my-bank"
    #expect(sources.feeds.last?.missing == reason)
    let error = try client.error(BankList(filter: BankConditions(country: "Finland")))
    #expect(error?.message == "banks: no data of my-bank yet: \(reason)" && error?.data?.phase == "no data")
  }

  @Test func `a private server says how data comes, unless an attempt has failed`() throws {
    var reports = SmallBanks.reports
    reports[1].asOf = nil
    let server = try RunningServer.withBanks(
      SmallBanks.locations.filter { $0.bank != "swedbank-lv" }, reports: reports, isPrivate: true)
    let error = try server.client().error(BankList(filter: BankConditions(bank: "swedbank-lv")))
    #expect(error?.code == .unavailable && error?.data?.phase == ErrorData.noServer)
  }
}
