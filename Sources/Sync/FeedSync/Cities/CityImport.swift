import Cities
package import CitiesProtocol
package import Resident
import System

/// Turns a city list into a city index: what `citiesd-sync build` does, and the heart of the cities feed.
package struct CityImport: Sendable {
  /// Accept a list without a single good record; without it, such a list is taken for a mistake.
  package var allowsEmpty: Bool
  /// Is told how far it is.
  package var progress: ProgressReport

  /// Sets up an import.
  package init(allowsEmpty: Bool = false, progress: @escaping ProgressReport = { _ in }) {
    self.allowsEmpty = allowsEmpty
    self.progress = progress
  }

  /// What came of a source.
  package struct Result: Sendable, CustomStringConvertible {
    /// The index, not yet written.
    package var image: ResidentImage
    /// The counts that stand in it.
    package var summary: ResidentCities.Summary
    /// The first records that are not kept.
    package var notes: [RecordNote]
    /// What was odd, in lines.
    package var remarks: [String]

    /// The counts and the generation, in one clause.
    package var description: String {
      "\(summary.counts), generation \(image.generation)"
    }

    /// Puts the index in the place of what is at `path`.
    ///
    /// - Throws: ``FeedError`` if a system call failed; what was at `path` is untouched then.
    package func write(to path: String) throws(FeedError) {
      do throws(SystemError) { try image.write(to: path) } catch { throw FeedError(error) }
    }
  }

  /// Reads, checks, orders and encodes all cities of `source`; `name` is what messages call it.
  ///
  /// - Throws: ``FeedError`` if there is nothing to be made of it.
  /// - Complexity: O(n log n) for n cities; 235,000 take 1.7 s of one core and 163 MB at the peak, JSON text included.
  package func image(of source: SourceFile, name: String) throws(FeedError) -> Result {
    progress(Progress("reading", done: 0))
    let collector = try CityList.read(source, name: name) { [progress] in
      progress(Progress("checking", done: 0.2 + 0.4 * $0))
    }
    let notes = collector.notes
    progress(Progress("ordering", done: 0.6))
    let builder = collector.takeBuilder()
    let counts = try notes.counts(kept: builder.count)
    guard counts.kept > 0 || allowsEmpty else {
      let skipped = notes.skipped == 0 ? "" : ", \(notes.skipped) records were skipped"
      let lines = (["\(name): no city in it\(skipped); only build --allow-empty takes it"] + notes.lines)
      throw FeedError(.badData, lines.joined(separator: "\n"))
    }
    do {
      let image = try ResidentCities.image(
        of: builder, fingerprint: source.hash, skipped: counts.skipped, repeated: counts.repeated,
        replaced: counts.replaced)
      progress(Progress("writing", done: 0.95))
      let summary = ResidentCities.Summary(
        records: counts.kept, skipped: counts.skipped, repeated: counts.repeated, replaced: counts.replaced)
      return Result(image: image, summary: summary, notes: notes.notes, remarks: notes.lines)
    } catch {
      throw FeedError(.badData, "\(name): \(error)")
    }
  }
}
