package import CitiesProtocol
package import Resident
import System

/// The feed `cities`: a local file in the city list's format becomes `cities.index` in the state folder.
///
/// Nothing is made anew if the index there is sound, of this build's versions, and made from the same bytes. A prebuilt
/// index that is installed elsewhere is none of its business.
package struct CityFeed: Feed {
  /// `cities`.
  package let name = FeedName.cities
  /// The configured URL or path.
  package let source: String?
  /// Seconds between looks at the file.
  package let interval: Int64
  private let state: StateFolder

  /// Reads from `source` into `state`.
  package init(source: String?, interval: Int64, state: StateFolder) {
    self.source = source
    self.interval = interval
    self.state = state
  }

  /// Reads the list if it has changed, and replaces the index.
  package func update(_ attempt: FeedAttempt) throws(FeedError) -> FeedResult {
    guard let source else { throw FeedError(.unavailable, "no source is configured") }
    guard case .file(let path) = try SourceLocation(source) else {
      throw FeedError(.unavailable, "\(SourceLocation.shown(source)): expected an absolute path or a file: URL")
    }
    let list = try SourceFile(path: path, regularOnly: true)
    if !attempt.isForced, let summary = try summary(madeFrom: list.hash) {
      return FeedResult(.unchanged, summary.counts)
    }
    let made = try CityImport(progress: attempt.progress).image(of: list, name: path)
    do throws(SystemError) {
      try made.image.write(ResidentCities.kind.fileName, in: state.make())
    } catch {
      throw FeedError(error)
    }
    attempt.progress(Progress("done", done: 1))
    return FeedResult(.imported, made.summary.counts, notes: made.notes, remarks: made.remarks)
  }

  /// The counts of the sound index there, if it was made from a source with `hash`.
  private func summary(madeFrom hash: UInt64) throws(FeedError) -> ResidentCities.Summary? {
    let folder: OpenFolder?
    do throws(SystemError) { folder = try state.open() } catch { throw FeedError(error) }
    guard let folder, let file = try? ResidentFile(in: folder, kind: ResidentCities.kind, verify: .all),
      let cities = try? ResidentCities(file: file), file.header.fingerprint == hash
    else { return nil }
    return cities.summary
  }
}
