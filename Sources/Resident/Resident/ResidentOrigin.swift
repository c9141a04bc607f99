package import CitiesProtocol

/// The inputs of a resident file: everything but the program that determines its bytes.
///
/// The importer of every kind compares the ``fingerprint`` of its inputs with the one in the header of the existing
/// file, before it parses any source, and builds nothing if they are equal.
///
/// ```swift
/// let origin = ResidentOrigin(kind: ResidentCities.kind, copies: [copy])
/// if file.header.fingerprint == origin.fingerprint { return }
/// ```
package struct ResidentOrigin: Equatable, Sendable {
  /// One feed's source, and how it is read.
  package struct Copy: Equatable, Sendable {
    /// The feed.
    package var feed: FeedName
    /// Whether it is one of the samples.
    package var isSample: Bool
    /// The size of the source in bytes.
    package var length: UInt64
    /// XXH64 of these bytes.
    package var digest: UInt64
    /// The settings of this feed that affect the result, such as a country.
    package var settings: [String]

    /// Describes a copy.
    package init(feed: FeedName, isSample: Bool = false, length: UInt64, digest: UInt64, settings: [String] = []) {
      (self.feed, self.isSample, self.length, self.digest) = (feed, isSample, length, digest)
      self.settings = settings
    }
  }

  /// The kind: its rows change with ``ResidentKind/rowVersion``.
  package var kind: ResidentKind
  /// The copies, in the order of the importer's feeds.
  package var copies: [Copy]

  /// Makes an origin.
  package init(kind: ResidentKind, copies: [Copy]) { (self.kind, self.copies) = (kind, copies) }

  /// XXH64 of format version, kind, row version and copies, stored in the header.
  ///
  /// Every text is preceded by its length, so that different origins are encoded differently.
  ///
  /// - Complexity: O(copies).
  package var fingerprint: UInt64 {
    var bytes: [UInt8] = []
    func add(_ number: UInt64) { bytes.append(littleEndian: number) }
    func add(_ text: String) {
      add(UInt64(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
    add(UInt64(ResidentHeader.formatVersion))
    add(UInt64(kind.code.rawValue))
    add(UInt64(kind.rowVersion))
    for copy in copies {
      add(copy.feed.rawValue)
      for number in [copy.isSample ? 1 : 0, copy.length, copy.digest, UInt64(copy.settings.count)] { add(number) }
      for setting in copy.settings { add(setting) }
    }
    return bytes.withUnsafeBytes { XXH64.hash(of: $0) }
  }
}
