internal import CitiesProtocol

/// The status as a page of metrics, in the text format of Prometheus, version 0.0.4.
struct StatusMetrics {
  /// The page; lines end with LF.
  private(set) var text = ""

  /// Formats `reply`; values that an older server does not report are left out.
  init(_ reply: Status.Reply) {
    let counters = reply.counters ?? [:]
    add("requests_total", "Requests answered since the start.", reply.requests)
    add("request_errors_total", "Those of them that were answered with an error.", counters["errors"])
    add("connections", "Open connections.", reply.connections)
    add("users", "Users with open connections.", counters["users"])
    add("connections_accepted_total", "Connections accepted since the start.", counters["accepted"])
    add("connections_refused_total", "Connections refused at a limit since the start.", counters["refused"])
    add("connections_displaced_total", "Connections closed for another user since the start.", counters["displaced"])
    add("memory_bytes", "Memory of the process, without files.", counters["memory"])
    add("longest_step_microseconds", "Longest step of the loop since the start.", counters["longest_step"])
    add("start_time_seconds", "When the server started (Unix time).", Self.seconds(reply.started))
    add(
      "sync_up", "Whether the sync service answers or was not asked yet.", StatusVerb.isWell(sync: reply.sync) ? 1 : 0)
    let subjects = reply.subjects.map { ([("subject", $0.subject.rawValue)], $0) }
    add("subject_ready", "Whether the subject has data.", subjects.map { ($0, $1.ready ? 1 : 0) })
    add("subject_faulty", "Whether the subject has a problem.", subjects.map { ($0, $1.problem == nil ? 0 : 1) })
    add("subject_records", "Records in service.", subjects.map { ($0, $1.records) })
    add("subject_import_time_seconds", "When they were imported.", subjects.map { ($0, Self.seconds($1.written)) })
    add(
      "subject_generation", "The data in service, in a label; the value is 1.",
      subjects.map { ($0 + [("generation", $1.generation ?? "")], $1.generation.map { _ in 1 }) })
    let feeds = reply.feeds.filter(\.wasAsked).map { ([("feed", $0.feed.rawValue)], $0) }
    add("feed_failing", "Whether the last attempt failed.", feeds.map { ($0, $1.lastError == nil ? 0 : 1) })
    add("feed_records", "Records of the feed.", feeds.map { ($0, $1.records) })
    add(
      "feed_records_remarked", "Those of them with a remark.",
      feeds.map { ($0, $1.records == nil ? nil : $1.remarked ?? 0) })
    add("feed_records_left_out", "Records of its source that cannot be read.", feeds.map { ($0, $1.skipped) })
    add("feed_data_time_seconds", "The time of its data.", feeds.map { ($0, Self.seconds($1.asOf)) })
    add(
      "feed_import_start_time_seconds", "When the import in progress started.",
      reply.feeds.map { ([("feed", $0.feed.rawValue)], Self.seconds($0.importing)) })
    add("feed_attempt_time_seconds", "When it was last tried.", feeds.map { ($0, Self.seconds($1.lastAttempt)) })
  }

  private mutating func add(_ name: String, _ help: String, _ value: UInt64?) { add(name, help, [([], value)]) }

  /// Adds a metric; nothing without known values.
  private mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: [(name: String, value: String)], value: UInt64?)]
  ) {
    let lines = samples.compactMap { sample in
      sample.value.map { "citiesd_\(name)\(Self.shown(sample.labels)) \($0)\n" }
    }
    guard !lines.isEmpty else { return }
    let type = name.hasSuffix("_total") ? "counter" : "gauge"
    text += "# HELP citiesd_\(name) \(help)\n# TYPE citiesd_\(name) \(type)\n" + lines.joined()
  }

  private static func shown(_ labels: [(name: String, value: String)]) -> String {
    let escapes: [Unicode.Scalar: String] = ["\\": "\\\\", "\"": "\\\"", "\n": "\\n"]
    let texts = labels.map { name, value in
      "\(name)=\"\(value.unicodeScalars.reduce(into: "") { $0 += escapes[$1] ?? String($1) })\""
    }
    return texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}"
  }

  private static func seconds(_ time: Timestamp?) -> UInt64? { time?.secondsSince1970.flatMap { UInt64(exactly: $0) } }
}
