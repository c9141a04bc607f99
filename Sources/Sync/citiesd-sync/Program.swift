import ArgumentParser
import FeedSync
import FrameService
import Glibc
import System

/// The command line `citiesd-sync`, and how results become exit codes.
struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "citiesd-sync",
    abstract: "Turn city lists and other feeds into the resident files that citiesd serves.",
    discussion: """
      Feeds are configured in /etc/cities/sync.json (system) or ~/.config/cities/sync.json (user), and by the \
      environment: CITIES_FEED_CITIES=/srv/cities.json.gz. sync.json(5) describes the file, the files in sync.d after it, and \
      feeds of your own; cities-formats(5) describes the formats. Started by systemd without a command, it serves.

      Keys of the file, with their defaults: feeds.NAME.url (https:, http: on this machine, file: or a path; empty for \
      none), feeds.NAME.interval (60 to 31536000 seconds; 3600), feeds.NAME.timezone, feeds.NAME.country, \
      feeds.NAME.headers.HEADER.file; tls.caFile (certificates in PEM, trusted besides the system's); limits.bytes of a \
      body, unpacked (1024 to 536870912; 67108864), limits.connect, limits.total and limits.stall (1 to 3600 seconds; 10, \
      120, 20); loss.percent (0 to 100; 50) and loss.records (1 to 1000000000; 20). In the environment: \
      CITIES_FEED_NAME, CITIES_FEED_NAME_INTERVAL, CITIES_TLS_CA_FILE, CITIES_LIMITS_TOTAL and so on; a feed's name in \
      capitals, with _ for -. The environment overrides the file; headers can be set in the file alone.

      Secrets: the part of a URL after ? is sent to its server and never shown; a URL with a user name is \
      refused. A header with a token is read from a file for every request, {"feeds": {"rates": {"headers": \
      {"Authorization": {"file": "rates-token"}}}}}: an absolute path, or the name of a credential of the service \
      (LoadCredential=rates-token:/etc/cities/rates-token in a drop-in of citiesd-sync.service, see systemd.exec(5)). \
      The file holds the header's value in one line, such as Bearer 3f9a, and should be readable by its owner alone. \
      Neither tokens nor cookies are sent on after a redirect to another origin.

      A source on the web that shrinks is refused. If the store holds at least loss.records records and more than \
      loss.percent of them are gone, or more than that share of the new records is bad and it was less before, the last \
      good data stays, and the feed fails with the figures. --force accepts the source as it is; a local file is always \
      accepted.

      Records and duplicates: every record that is read is kept, repeated (equal to one that is kept), replaced (another \
      one stands for it) or skipped (invalid). Cities: equal ones are kept once; of those that differ in the population \
      alone the largest stands; other names, region and time zone of all of them are joined; those that share an id but \
      differ in name, country or position are all kept, and asking for that id is ambiguous. Banks: all locations are \
      kept, equal ones too. Rates: of several rates for one pair of currencies the lowest stands. Transactions: all are \
      kept, equal ones are separate sales.

      City lists: cities-formats(5) describes the keys of a record, and which places of a dump of GeoNames' are kept. Names \
      of countries and regions come from share/cities/names.json.gz, which is installed with the program; without it they \
      are found by their codes alone, and by the names that a list gives its regions.

      Environment: CITIES_SYNC_CONFIG names the configuration file; CITIES_FEED_NAME and the other variables above \
      override its keys; CITIES_STATE names the state folder, which is otherwise /var/lib/cities for root and system \
      users, $XDG_STATE_HOME/cities or ~/.local/state/cities; CITIES_SYNC_SOCKET names the socket of 'serve', which is \
      otherwise sync.sock in the folder of the server's; CITIES_SOCKET names the server's socket; CREDENTIALS_DIRECTORY \
      is set by systemd, and holds the credentials that headers are read from; JOURNAL_STREAM is set by systemd, and \
      makes 'serve' write the priority of each line of the log.

      Files: /etc/cities/sync.json is the configuration for root and system users; ~/.config/cities/sync.json is that \
      of any other user ($XDG_CONFIG_HOME/cities/sync.json where the variable is set); STATE/cities.index is the city \
      index that citiesd serves, in the state folder; STATE/banks.resident and STATE/trade.resident are the bank index \
      and the trade book; STATE/feeds.resident is the last report on each feed; STATE/sources/NAME.source is the stored \
      copy of a feed's source; STATE/sources/NAME.source.damaged-SECONDS is a damaged copy that was set aside; \
      STATE/.cities.index.lock and other locks are empty, and keep two processes from writing the same file; \
      ../share/cities/sample holds the samples and ../share/cities/names.json.gz the names of countries and regions, \
      beside the program's folder, else in /usr/local or /usr.

      Exit codes: 0 done, 2 usage, 4 some feeds failed, 65 bad data, 69 every feed failed or none has a source, \
      74 I/O, 77 permission.
      """,
    version: SyncService.server,
    subcommands: [Run.self, Build.self, Verify.self, Check.self, FeedGroup.self, Serve.self])

  /// Parses `arguments`, performs the command and returns its exit code.
  static func perform(_ arguments: [String]) -> SyncExit {
    do {
      let command = try parseAsRoot(
        arguments.isEmpty && Activation.isPresent ? ["serve"] : arguments)
      if let command = command as? any SyncCommand { return try command.perform() }
      // The parser's own: `help run` throws the page that it is for.
      var helper = command
      try helper.run()
      throw CleanExit.helpRequest()
    } catch let error as FeedError {
      return fail(error.description, error.exitCode)
    } catch let error as ServiceError {
      return fail(error.description, error.exitCode)
    } catch {
      return finish(error)
    }
  }

  /// Ends without or before a command: help and version go to stdout, wrong use to stderr.
  private static func finish(_ error: any Error) -> SyncExit {
    guard exitCode(for: error) == .success else {
      return fail("\(message(for: error))\nTry: citiesd-sync --help", .usage)
    }
    do throws(FeedError) {
      try CommandOutput.line(fullMessage(for: error))
      return .success
    } catch {
      return fail(error.description, error.exitCode)
    }
  }

  private static func fail(_ message: String, _ code: SyncExit) -> SyncExit {
    try? CommandOutput.line("citiesd-sync: \(message)", descriptor: STDERR_FILENO)
    return code
  }
}

/// A command that ends in an exit code.
protocol SyncCommand: ParsableCommand {
  /// Does it.
  func perform() throws -> SyncExit
}
