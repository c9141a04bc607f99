import FeedSync
import FrameService
import Glibc
import Logging
import System

/// The command line of `citiesd-sync`, with its exit codes.
enum Program {
  private static let command = SyncCommand(
    "citiesd-sync", "Import the data that citiesd serves.",
    discussion: """
      citiesd-sync reads lists of cities, locations of banks, exchange rates and sales from files and from the web, \
      and writes them into the state folder for citiesd(8). sync.json(5) describes the configuration, \
      cities-formats(5) the formats. Started by systemd without a command, it runs 'serve'.

      A web source that has shrunk is refused. If at least loss.records records are stored, and more than loss.percent \
      of the most that were stored within seven days are gone, the last good data stays and the feed fails with the \
      figures. It also fails if more than loss.percent of the new records are invalid, and this share has grown. A local \
      file may lose any number. The first list of any source is refused if it has at least loss.records records and more \
      than loss.percent of them are invalid. Nor is a web source of locations accepted if more than loss.percent of \
      them are more than 100 km away from where they were. --force accepts the source.

      Every record is kept, repeated (equal to a kept one), replaced (by another one) or skipped (invalid). Of equal \
      cities one is kept. Cities that differ only in the population become one, with the largest population, and the \
      other names, region and time zone of all. Cities that share an id but differ in name, country or position are \
      all kept, and the id is then ambiguous. All locations of banks are kept, even equal ones. Of several rates for \
      the same two currencies, the lowest is kept. All transactions are kept: equal ones are separate sales.

      The names of countries and regions come from share/cities/names.json.gz, which is installed with the program. \
      Without it, countries and regions are found by their codes, and by the names that a list gives its regions.

      Environment: CITIES_SYNC_CONFIG the configuration file; CITIES_FEED_NAME the source of a feed, as sync.json(5) \
      explains, which also describes the variables of other keys; CITIES_STATE the state folder (default: \
      /var/lib/cities for root and system users, else $XDG_STATE_HOME/cities or ~/.local/state/cities); \
      CITIES_SYNC_SOCKET the socket of 'serve' (default: sync.sock beside the server's); CITIES_SOCKET the server's \
      socket; CREDENTIALS_DIRECTORY set by systemd: the credentials that headers are read from; JOURNAL_STREAM set \
      by systemd: the log goes to the journal, with the fields that citiesd(8) lists.

      Files: /etc/cities/sync.json the configuration for root and system users; ~/.config/cities/sync.json the \
      configuration for other users ($XDG_CONFIG_HOME/cities/sync.json if that variable is set); STATE/cities.index \
      the cities that citiesd serves, in the state folder; STATE/banks.resident the locations of banks; \
      STATE/trade.resident the rates and transactions; STATE/feeds.resident the last report on each feed; \
      STATE/sources/NAME.source the stored copy of a feed's source; STATE/sources/NAME.source.damaged-SECONDS a \
      damaged copy that was set aside; STATE/.cities.index.lock one of several empty files that keep two processes \
      from writing the same file; ../share/cities/sample the samples, beside the program's folder, or in /usr/local \
      or /usr; ../share/cities/names.json.gz the names of countries and regions, in the same places.

      Exit status: 0 done; 2 wrong usage; 4 some feeds failed; 65 invalid data; 69 every feed failed, or none has a \
      source; 74 reading or writing failed; 77 permission denied.
      """,
    commands: [.run, .build, .translate, .verify, .check, .feed, .serve, .importing])

  /// Performs the command that `arguments` name, and returns its exit code.
  static func perform(_ arguments: [String]) -> ExitCode {
    do {
      let words = arguments.isEmpty && Activation.isPresent ? ["serve"] : arguments
      return try command.perform(words, version: SyncService.server) { try CommandOutput.line($0) }
    } catch let error as FeedError {
      return fail(error.description, error.exitCode)
    } catch let error as ServiceError {
      return fail(error.description, error.exitCode)
    } catch {
      return fail("\(error)\nTry: citiesd-sync --help", .usage)
    }
  }

  private static func fail(_ message: String, _ code: ExitCode) -> ExitCode {
    if ServiceManager.isConnected {
      JournalLog.logger("citiesd-sync").critical("\(message)", metadata: .event(.startFailed, error: message))
      return code
    }
    try? CommandOutput.line("citiesd-sync: \(message)", descriptor: STDERR_FILENO)
    return code
  }
}
