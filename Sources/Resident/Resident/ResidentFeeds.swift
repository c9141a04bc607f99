import CBOR
package import CitiesProtocol
package import Folders
import System

/// `feeds.resident`: the sync service's report on each feed, stored so that the server can return it after the service
/// has exited.
///
/// One section, `FEED`, holds the CBOR array of ``FeedReport`` in the order of ``FeedName/all``.
package enum ResidentFeeds {
  /// The kind; the row version counts changes of ``FeedReport`` that an older reader would misread.
  package static let kind = ResidentKind(
    code: "FEED", name: "feed report", fileName: "feeds.resident", rowVersion: 1, remedy: RebuildCommand.feeds,
    maximumBytes: 16 << 20)
  /// The section.
  package static let section: FourBytes = "FEED"

  /// Reads the reports at `path`.
  ///
  /// - Throws: ``ResidentError``, with ``ResidentFault/absent`` before the first attempt of any feed.
  package static func read(_ path: String) throws(ResidentError) -> [FeedReport] {
    try reports(in: ResidentFile(path: path, kind: kind, verify: .all))
  }

  /// Reads the reports in an open folder.
  ///
  /// - Throws: as ``read(_:)``.
  package static func read(in folder: OpenFolder) throws(ResidentError) -> [FeedReport] {
    try reports(in: ResidentFile(in: folder, kind: kind, verify: .all))
  }

  private static func reports(in file: ResidentFile) throws(ResidentError) -> [FeedReport] {
    try file.value(in: section)
  }

  /// The file that holds `reports`.
  ///
  /// It has no sources, so its fingerprint is 0.
  ///
  /// - Throws: any error of the encoder; it encodes every report.
  package static func image(_ reports: [FeedReport]) throws -> ResidentImage {
    ResidentImage(kind: kind, fingerprint: 0, sections: [(section, try CBOREncoder().encode(reports))])
  }

  /// Checks that the file at `path` is as the sync service writes it; returns it with its reports.
  ///
  /// - Throws: ``ResidentError`` with what is wrong.
  package static func verify(_ path: String) throws(ResidentError) -> (file: ResidentFile, reports: [FeedReport]) {
    let file = try ResidentFile(path: path, kind: kind, verify: .header)
    try file.verifyContent()
    let reports = try reports(in: file)
    try file.requireEqual(to: image(reports))
    return (file, reports)
  }
}
