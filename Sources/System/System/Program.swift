/// The common version of all programs, which are built and installed together.
package enum ProgramVersion {
  /// The number of the release.
  package static let number = "0.1.0"
}

/// The exit codes of the server and the sync service, from `sysexits.h` if it has one.
///
/// `citiesctl` has more of them, with the same numbers.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
  /// The number.
  package var rawValue: Int32

  /// Wraps any number.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The program ended as requested.
  package static let success = ExitCode(rawValue: 0)
  /// Wrong arguments or environment.
  package static let usage = ExitCode(rawValue: 2)
  /// Done in part: some feeds failed, or the server is degraded.
  package static let partial = ExitCode(rawValue: 4)
  /// The input, a source or a resident file is unusable (`EX_DATAERR`).
  package static let badData = ExitCode(rawValue: 65)
  /// No server, or every feed failed, or none has a source (`EX_UNAVAILABLE`).
  package static let unavailable = ExitCode(rawValue: 69)
  /// A bug in the program (`EX_SOFTWARE`).
  package static let software = ExitCode(rawValue: 70)
  /// Input or output failed (`EX_IOERR`).
  package static let io = ExitCode(rawValue: 74)
  /// The user may not do this (`EX_NOPERM`).
  package static let permission = ExitCode(rawValue: 77)
  /// Something required by the configuration is missing (`EX_CONFIG`).
  package static let misconfigured = ExitCode(rawValue: 78)
}

/// The commands that rebuild the files of the state folder, as advised in the messages of all programs.
package enum RebuildCommand {
  /// For the city index; contacts its source again.
  package static let cities = "citiesd-sync run --force cities"
  /// For the bank index, from stored copies.
  package static let banks = "citiesd-sync run"
  /// For the trade book.
  package static let trade = "citiesd-sync run --force rates transactions"
  /// For the report on feeds.
  package static let feeds = "citiesd-sync run"

  /// The command for the file of a subject, by its name on the wire.
  package static func command(forSubject name: String) -> String {
    switch name {
    case "cities": cities
    case "trade": trade
    default: banks
    }
  }
}
