package import Cities
package import CitiesProtocol
package import Resident
import System

/// Turns the list of cities into `cities.index`.
///
/// The list is a JSON array or a GeoNames dump, plain, gzip or zip; see ``CityList``. The names of countries and
/// regions come from ``AreaNameFile``, another input of the index.
package struct CityImporter: SubjectImporter {
  /// `cities` alone.
  package let feeds = [FeedName.cities]
  /// The city index.
  package let kind = ResidentCities.kind
  /// City lists are named by their paths, as in `build`.
  package let namesLocalFiles = true
  /// Accept a list without a single good record; without it, such a list is taken for a mistake.
  package var allowsEmpty: Bool
  private let areaNames: AreaNameFile

  /// Makes an importer that takes the names of countries and regions from `areaNames`.
  package init(allowsEmpty: Bool = false, areaNames: AreaNameFile = AreaNameFile(path: nil)) {
    (self.allowsEmpty, self.areaNames) = (allowsEmpty, areaNames)
  }

  /// The identity of the name file, if there is one.
  package func settings(of feed: FeedName) -> [String] { areaNames.identity }

  /// Reads and checks all cities of a list.
  ///
  /// - Throws: ``FeedError`` if no index can be made from it.
  /// - Complexity: O(n) for n cities.
  package func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<CityIndexBuilder> {
    progress(Progress("reading", done: 0))
    let list = try CityList(bytes, name: name) { progress(Progress("checking", done: 0.2 + 0.4 * $0)) }
    let contents = try FeedContents(list.notes, kept: list.builder.count, mayBeEmpty: true)
    guard contents.counts.kept > 0 || allowsEmpty else {
      let skipped = list.notes.skipped == 0 ? "" : ", \(list.notes.skipped) records were skipped"
      let lines = ["\(name): no city in it\(skipped); only build --allow-empty takes it"] + list.notes.lines
      throw FeedError(.badData, lines.joined(separator: "\n"))
    }
    var builder = list.builder
    builder.areaNames = try areaNames.names()
    return ParsedFeed(feed, contents, builder)
  }

  /// Orders and encodes the cities.
  ///
  /// - Complexity: O(n log n) for n cities; with ``parse(_:_:name:progress:)`` 235,000 take 1.7 s of one core.
  package func image(
    of parts: consuming [ParsedFeed<CityIndexBuilder>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage {
    progress(Progress("ordering", done: 0.6))
    // Moved out, so that building frees the cities as it goes.
    guard var part = parts.popLast() else { throw FeedError(.internalFault, "there is no list of cities") }
    let counts = part.contents.counts
    let cities = part.records
    part.records = CityIndexBuilder()
    do {
      let image = try ResidentCities.image(
        of: consume cities, fingerprint: fingerprint, skipped: counts.skipped, repeated: counts.repeated,
        replaced: counts.replaced)
      progress(Progress("writing", done: 0.95))
      return image
    } catch {
      throw FeedError(.badData, "\(error)")
    }
  }
}

/// One list and one index, without configuration and state folder: what `citiesd-sync build` does.
package struct CityBuild: Sendable, CustomStringConvertible {
  /// The index, not yet written.
  package let image: ResidentImage
  /// The outcome of the records.
  package let contents: FeedContents

  /// Makes an index from `list`, which messages call `name`; the same list and names give the same file as the feed
  /// `cities`.
  ///
  /// - Throws: ``FeedError`` if no index can be made from it.
  package init(
    _ list: consuming SourceFile, name: String, allowsEmpty: Bool = false,
    areaNames: AreaNameFile = AreaNameFile(path: nil), progress: @escaping ProgressReport = { _ in }
  ) throws(FeedError) {
    let importer = CityImporter(allowsEmpty: allowsEmpty, areaNames: areaNames)
    let origin = ResidentOrigin(
      kind: importer.kind,
      copies: [
        .init(
          feed: .cities, length: UInt64(list.bytes.count), digest: list.digest, settings: importer.settings(of: .cities)
        )
      ])
    let parsed = try importer.parse(.cities, (consume list).bytes, name: name, progress: progress)
    contents = parsed.contents
    image = try importer.image(
      of: [consume parsed], fingerprint: origin.fingerprint, progress: progress)
  }

  /// The file name of an installed index; citiesd looks for no other beside itself.
  package static var installedName: String { ResidentCities.kind.installedName }

  /// The path of the index: `output`, or the installed name in it if it is a folder.
  package static func path(for output: String) -> String {
    isFolder(output) ? "\(output)\(output.hasSuffix("/") ? "" : "/")\(installedName)" : output
  }

  /// The counts and the generation, in one clause.
  package var description: String { "\(contents.counts), generation \(image.generation)" }

  /// Replaces the index at `path`.
  ///
  /// - Throws: ``FeedError`` if a system call failed; an old file at `path` is untouched then.
  package func write(to path: String) throws(FeedError) {
    do throws(SystemError) { try image.write(to: path) } catch { throw FeedError(error) }
  }
}
