/// `doctor`: problems of this installation, and the commands that fix them.
struct DoctorVerb: RowVerb {
  static let command = CommandText(
    "doctor", usage: "[<options>]",
    abstract: "Find what is wrong with the installation.",
    discussion: """
      Checks the sockets and who may use them, the units, the programs and their versions, the server's data and its age, \
      the last error of each feed, the files of the state folder, the installed files, and the configuration. Each \
      finding is a row with the columns check, state (ok, note or wrong; on a terminal 'problem' for wrong), message and \
      remedy (what to do, usually a command). Units of the user's systemd do not matter while the system's server \
      answers. Of files with data the checksums are compared; with --deep each record is checked too, which takes \
      seconds for a large list. The exit status is 4 if anything is wrong.

        # Find what is wrong
        citiesctl doctor
        # Check all records, too
        citiesctl doctor --deep
        # Print only the faults, for a program
        citiesctl doctor --output jsonl | jq 'select(.state == "wrong")'
      """)

  /// `check state message remedy`.
  static let columns: [ListingColumn<Diagnosis>] = [
    ListingColumn("check") { .text($0.check) },
    ListingColumn("state") { .text($0.state.rawValue) },
    ListingColumn("message") { .text(joinedLines($0.message)) },
    ListingColumn("remedy") { RowValue($0.remedy) },
  ]

  private var isDeep = false
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    isDeep = table.flag("--deep", "Check each record of the files, too.")
  }

  func perform(in context: Context) throws -> ExitStatus {
    let isPage = context.format == .table && rendering.columns.isEmpty
    var findings: [Diagnosis] = []
    var page = DoctorPage(on: context.output.descriptor, isPage ? context.colours(rendering.color) : nil)
    try Examination(connection, isDeep: isDeep, context) { finding in
      findings.append(finding)
      guard isPage else { return }
      context.output.write(page.add(finding))
      // The user reads while the other checks run.
      try context.output.flush()
    }
    if isPage {
      context.output.write(page.end())
    } else {
      try write(findings, in: context)
    }
    return findings.contains { $0.state == .wrong } ? .partial : .found
  }
}

/// The result of one check.
struct Diagnosis: Equatable {
  /// The result.
  enum State: String {
    /// No problem.
    case ok
    /// Information without a problem.
    case note
    /// A problem to fix.
    case wrong
  }

  /// The checked item, such as `socket` or `feed rates`.
  var check: String
  var state: State
  /// The observation, in one line.
  var message: String
  /// The command that fixes it, or other advice.
  var remedy: String?

  static func ok(_ check: String, _ message: String) -> Diagnosis {
    Diagnosis(check: check, state: .ok, message: message)
  }

  static func note(_ check: String, _ message: String, remedy: String? = nil) -> Diagnosis {
    Diagnosis(check: check, state: .note, message: message, remedy: remedy)
  }

  static func wrong(_ check: String, _ message: String, remedy: String) -> Diagnosis {
    Diagnosis(check: check, state: .wrong, message: message, remedy: remedy)
  }

  /// The lines for the terminal at `descriptor`; the remedy, a command to copy, is not wrapped.
  func paragraph(on descriptor: Int32, _ colours: Colours? = nil) -> String {
    let mark = state == .wrong ? "problem" : state.rawValue
    let head = "\(mark.padded(to: 7))  \(check): \(joinedLines(message))"
    let help = remedy.map { "\n         help: \($0)" } ?? ""
    let text = terminalLines(visibleLines(head), to: descriptor, indent: 9) + visibleLines(help) + "\n"
    return (colours?.painted(mark, look) ?? mark) + text.dropFirst(mark.count)
  }

  private var look: Look {
    switch state {
    case .ok: .ok
    case .note: .note
    case .wrong: .failed
    }
  }
}

extension String {
  fileprivate func padded(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
}
