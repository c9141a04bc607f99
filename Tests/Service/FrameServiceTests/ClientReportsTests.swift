import Testing

@testable import FrameService

@Suite struct ClientReportsTests {
  private func report(_ user: UInt32?, _ reason: String = "it reads no events") -> ClientReports.Report {
    ClientReports.Report(action: .dropped, user: user, reason: reason)
  }

  @Test func `a thousand drops of one user and reason give two lines in ten seconds`() {
    var reports = ClientReports()
    var lines = (0..<1_000).compactMap { reports.add(report(7), now: $0) }
    #expect(lines == ["dropped a connection of user 7: it reads no events"])
    #expect(reports.takeDue(now: ClientReports.interval - 1).isEmpty)
    lines = reports.takeDue(now: ClientReports.interval).map(\.line)
    #expect(lines == ["dropped 999 more connections of user 7 in 10 s: it reads no events"])
    // It goes on being counted, and is forgotten after an interval without.
    #expect(reports.add(report(7), now: ClientReports.interval + 1) == nil)
    lines = reports.takeDue(now: 2 * ClientReports.interval).map(\.line)
    #expect(lines == ["dropped 1 more connection of user 7 in 10 s: it reads no events"])
    #expect(reports.takeDue(now: 3 * ClientReports.interval).isEmpty && reports.count == 0)
    #expect(reports.add(report(7), now: 3 * ClientReports.interval) != nil)
  }

  @Test func `users, reasons and actions are told apart`() {
    var reports = ClientReports()
    #expect(reports.add(report(1), now: 0) != nil)
    #expect(reports.add(report(2), now: 0) != nil)
    #expect(reports.add(report(1, "another"), now: 0) != nil)
    let closed = reports.add(ClientReports.Report(action: .displaced, user: 1, reason: "another"), now: 0)
    #expect(closed == "closed a connection of user 1: another")
    #expect(reports.count == 4)
  }

  @Test func `many users cost bounded memory and few lines`() {
    var reports = ClientReports()
    let lines = (0..<100_000).compactMap { reports.add(report($0), now: 0) }
    #expect(lines.count == ClientReports.maximumKinds + 1)
    #expect(lines.last == "dropped a connection of other users: several reasons")
    #expect(reports.count == ClientReports.maximumKinds + 1)
    let left = 100_000 - ClientReports.maximumKinds - 1
    let due = reports.takeDue(now: .max).map(\.line)
    #expect(due == ["dropped \(left) more connections of other users in 10 s: several reasons"])
  }
}
