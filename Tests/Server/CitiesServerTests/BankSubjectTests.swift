import Banks
import CitiesProtocol
import Resident
import TestSupport
import Testing

@testable import CitiesServer

/// Where the answers come from, and what becomes of them when files come and go.
@Suite struct BankSubjectTests {
  @Test func `the first answer of a server knows how old its data is`() throws {
    let reply = try RunningServer.withBanks().client().ask(BankList(limit: 0))
    #expect(reply.asOf != nil && reply.sources.feeds.allSatisfy { !$0.stale })
  }

  @Test func `replies tell their feeds, the oldest moment and that a part is made up`() throws {
    var reports = SmallBanks.reports
    reports[1].asOf = Timestamp(text: "2026-03-01T12:00:00Z")
    reports[1].lastError = "https://ib.swedbank.lv/finder.json: 503"
    let server = try RunningServer.withBanks(reports: reports)
    let client = try server.client()
    let (list, regions) = (try client.ask(BankList()), try client.ask(BankRegions()))
    let near = try client.ask(BankNear(place: Place(at: Position(lat: 1, lon: 1))))
    for sources in [list.sources, regions.sources, near.sources] {
      #expect(
        sources.feeds.map(\.feed) == Subject.banks.feeds && sources.feeds.map(\.stale) == [false, true, false, false])
      #expect(sources.feeds[1].lastError == "https://ib.swedbank.lv/finder.json: 503" && sources.sample)
    }
    #expect([list.asOf, regions.asOf, near.asOf].allSatisfy { $0?.text == "2026-03-01T12:00:00Z" })
  }

  @Test func `one location tells its own feed alone`() throws {
    let client = try RunningServer.withBanks().client()
    let rows = try client.ask(BankList(limit: 1_000)).rows
    let branch = try #require(rows.first { $0.location.bank == "swedbank-lt" })
    let reply = try client.ask(BankGet(id: branch.location.id))
    #expect(reply.sources.feeds.map(\.feed) == [.swedbankLT] && !reply.sources.sample)
    #expect(try client.ask(BankGet(id: "imaginary-4")).sources.sample)
  }

  @Test func `data without any report is told as stale, without a moment`() throws {
    let reply = try RunningServer.withBanks(reports: []).client().ask(BankList())
    #expect(reply.asOf == nil && reply.sources.feeds.map(\.stale) == [true, true, true, true])
  }

  @Test func `without data every question is answered as unavailable, and cities go on`() throws {
    let server = try RunningServer()
    let client = try server.client()
    let place = Place(at: Position(lat: 1, lon: 1))
    for error in [
      try client.error(BankRegions()), try client.error(BankList()), try client.error(BankSearch(query: "")),
      try client.error(BankGet(id: "imaginary-4")), try client.error(BankNear(place: place)),
    ] {
      #expect(error?.code == .unavailable && error?.data?.subject == .banks && error?.data?.phase == "no data")
      #expect(
        error?.message == "banks: no data yet: no sync service (no sync service is configured); run citiesd-sync run")
    }
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
  }

  @Test func `a new file is served, told to who watches, and stops who pages`() throws {
    let server = try RunningServer.withBanks()
    let (client, watcher) = (try server.client(), try server.client())
    let before = try watcher.ask(Watch(subjects: [.banks]))
    #expect(before.ready == ["banks": true])
    try SmallBanks.write(Array(SmallBanks.locations.prefix(4)), to: server.bankIndex)
    let event = try watcher.event()
    #expect(event?.event == "changed" && event?.subject == .banks && event?.generation != before.generations["banks"])
    #expect(try client.ask(BankList()).total == 4)
    let stale = try client.error(BankList(offset: 2, generation: before.generations["banks"]))
    #expect(stale?.code == .staleGeneration && stale?.data?.subject == .banks)
    #expect(stale?.data?.generation == event?.generation)
  }

  @Test func `who began with the older generation pages to its end`() throws {
    let server = try RunningServer.withBanks()
    let (pager, other) = (try server.client(), try server.client())
    let first = try pager.ask(BankSearch(query: "", limit: 6))
    try SmallBanks.write(Array(SmallBanks.locations.prefix(4)), to: server.bankIndex)
    #expect(try eventually { try other.ask(BankList()).total == 4 })
    let second = try pager.ask(BankSearch(query: "", offset: 6, limit: 6, generation: first.generation))
    #expect(first.rows.count + second.rows.count == 10 && second.generation == first.generation)
  }

  @Test func `status shows the banks, and a file that is refused`() throws {
    let server = try RunningServer.withBanks()
    let client = try server.client()
    let status = try client.ask(Status()).subjects.first { $0.subject == .banks }
    #expect(status?.records == 10 && status?.path == server.bankIndex && status?.problem == nil)
    try server.folder.write("state/banks.resident", [1, 2, 3])
    #expect(try eventually { try client.ask(Status()).subjects.first { $0.subject == .banks }?.problem != nil })
  }

  @Test func `a zone that the machine does not have is told, and what is open there is unknown`() throws {
    var locations = SmallBanks.locations
    locations[1].zone = "Moon/Copernicus"
    let client = try RunningServer.withBanks(locations).client()
    let status = try client.ask(Status()).subjects.first { $0.subject == .banks }
    #expect(status?.ready == true && status?.problem?.contains("no time zone \"Moon/Copernicus\"") == true)
    let rows = try client.ask(BankSearch(query: "prisma")).rows
    #expect(rows.map(\.open) == [.unknown])
  }
}
