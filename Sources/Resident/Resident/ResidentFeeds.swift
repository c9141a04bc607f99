import CBOR
package import CitiesProtocol
package import Folders
import System

/// `feeds.resident`: the sync service's report on each feed, stored so that the server can return it after the service
/// has exited.
///
/// The section `FEED` holds the CBOR array of ``FeedReport`` in the order of ``FeedName/all``. If a URL has a part that
/// may be secret, `URLS` holds the array of ``FeedReport/sourceDigest``, each a number or null.
package enum ResidentFeeds {
  /// The kind; the row version counts changes of ``FeedReport`` that an older reader would misread.
  package static let kind = ResidentKind(
    code: "FEED", name: "feed report", fileName: "feeds.resident", rowVersion: 1, remedy: RebuildCommand.feeds,
    maximumBytes: 16 << 20)
  /// The section.
  package static let section: FourBytes = "FEED"
  private static let digestSection: FourBytes = "URLS"

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
    var reports: [FeedReport] = try file.value(in: section)
    let digests: [UInt16?] = (try? file.value(in: digestSection)) ?? []
    for (index, digest) in zip(reports.indices, digests) { reports[index].sourceDigest = digest }
    return reports
  }

  /// The file that holds `reports`.
  ///
  /// It has no sources, so its fingerprint is 0.
  ///
  /// - Throws: any error of the encoder; it encodes every report.
  package static func image(_ reports: [FeedReport]) throws -> ResidentImage {
    var sections = [(name: section, bytes: try CBOREncoder().encode(reports))]
    let digests = reports.map(\.sourceDigest)
    if digests.contains(where: { $0 != nil }) { sections.append((digestSection, try CBOREncoder().encode(digests))) }
    return ResidentImage(kind: kind, fingerprint: 0, sections: sections)
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
