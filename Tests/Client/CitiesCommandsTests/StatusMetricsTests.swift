import CitiesProtocol
import Testing

@testable import CitiesCommands

@Suite struct StatusMetricsTests {
  private static let counters: [String: UInt64] = [
    "accepted": 8, "refused": 1, "displaced": 2, "errors": 3, "users": 4, "memory": 4_096, "longest_step": 250,
    "from-the-future": 5,
  ]

  private func page(_ change: (inout Status.Reply) -> Void = { _ in }) throws -> Outcome {
    var reply = wellStatus
    change(&reply)
    return try outcome(["status", "-o", "prometheus"]) { [reply] in [$0.reply(Status.self, reply)] }
  }

  @Test func `every number has its help, its type and its labels`() throws {
    let found = try page { $0.counters = Self.counters }
    #expect(found.status == .found && found.errors == "")
    let lines = found.output.split(separator: "\n").map(String.init)
    let values = lines.filter { !$0.hasPrefix("#") }
    #expect(
      values == [
        "citiesd_requests_total 4", "citiesd_request_errors_total 3", "citiesd_connections 3", "citiesd_users 4",
        "citiesd_connections_accepted_total 8", "citiesd_connections_refused_total 1",
        "citiesd_connections_displaced_total 2", "citiesd_memory_bytes 4096", "citiesd_longest_step_microseconds 250",
        "citiesd_start_time_seconds 1772366400",
        "citiesd_sync_up 1", "citiesd_subject_ready{subject=\"cities\"} 1",
        "citiesd_subject_faulty{subject=\"cities\"} 0",
        "citiesd_subject_records{subject=\"cities\"} 5",
        "citiesd_subject_generation{subject=\"cities\",generation=\"00000000000000aa\"} 1",
      ])
    for value in values {
      let name = value.prefix { $0 != "{" && $0 != " " }
      #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") && $0.hasSuffix(".") })
      #expect(lines.contains("# TYPE \(name) \(name.hasSuffix("_total") ? "counter" : "gauge")"))
    }
  }

  @Test func `what an older server does not say is left out`() throws {
    let found = try page()
    #expect(found.output.contains("citiesd_requests_total 4\n") && !found.output.contains("memory"))
  }

  @Test func `feeds that were contacted have times, and faults are numbers`() throws {
    let found = try page { reply in
      var feed = FeedReport(feed: FeedName(rawValue: "a\"b\\c\nd"), records: 6)
      feed.source = "https://bank.example/"
      feed.asOf = Timestamp(text: "2026-03-01T12:00:00Z")
      feed.lastError = "no route"
      reply.feeds.append(feed)
      reply.sync = "no answer"
      reply.subjects[0].problem = "damaged"
    }
    #expect(found.status == .partial)
    let label = #"{feed="a\"b\\c\nd"}"#
    for line in [
      "sync_up 0", "subject_faulty{subject=\"cities\"} 1", "feed_failing\(label) 1", "feed_records\(label) 6",
      "feed_data_time_seconds\(label) 1772366400",
    ] { #expect(found.output.contains("\ncitiesd_\(line)\n"), "\(line)") }
    #expect(!found.output.contains("feed=\"cities\""))
  }

  @Test func `only status has metrics, and they have no columns`() throws {
    #expect(try outcome(["search", "a", "-o", "prometheus"]).status == .usage)
    let wrong = try outcome(["status", "-o", "prometheus", "--columns", "name"]) { [$0.reply(Status.self, wellStatus)] }
    #expect(wrong.status == .usage && wrong.errors.contains("cannot be combined with --columns"))
  }
}
