@_exported public import Base
import CBOR
package import CitiesProtocol
import Resident

/// A feed's source as it was last delivered, with its details.
///
/// The file of a copy, with little-endian numbers:
///
/// | Offset | Bytes | Meaning |
/// |---|---|---|
/// | 0 | 8 | magic `89 43 53 52 0D 0A 1A 0A` |
/// | 8 | 4 | format version, ``formatVersion`` |
/// | 12 | 4 | bytes of the details, at most ``maximumDetails`` |
/// | 16 | 8 | bytes of the body |
/// | 24 | 8 | XXH64 of the body |
/// | 32 | 4 | CRC32C of bytes 0 to 31 and of the details |
/// | 36 | n | the details: a CBOR map `{url, confirmed, validators: {? etag, ? modified}, records, skipped, ? repeated, |
/// | | | ? replaced, ? remarked, ? notes: [{fate, reason, record}], ? peaks: [{records, seen}], |
/// | | | ? places: {places: [{key, lat, lon}]}, sample}` |
/// | | | the body; it ends the file |
package struct StoredCopy: Equatable, Sendable {
  /// The first eight bytes.
  package static let magic: [UInt8] = [0x89, 0x43, 0x53, 0x52, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The layout that this build writes and reads.
  package static let formatVersion: UInt32 = 1
  /// Most bytes of the details.
  package static let maximumDetails = 65_536
  /// Bytes before the details.
  static let prefixSize = 36
  /// Most bytes before the body.
  static let maximumHeader = prefixSize + maximumDetails

  /// Everything before the body.
  package var header: Header
  /// The body as delivered: without HTTP's content encoding, otherwise unchanged.
  package let bytes: [UInt8]

  /// Makes a copy.
  package init(_ details: Details, _ body: SourceFile) { (header, bytes) = (Header(details, of: body), body.bytes) }

  /// The details of a copy; in the file they are a CBOR map with these keys.
  package struct Details: Codable, Equatable, Sendable {
    /// The source: a URL or a path.
    package var url: String
    /// When the source last delivered or confirmed it, in seconds since 1970.
    package var confirmed: Int64
    /// The server's identifiers of this version.
    package var validators = SourceValidators()
    /// Good records in it.
    package var records: UInt64 = 0
    /// Records in it that were skipped as bad.
    package var skipped: UInt64 = 0
    /// Records in it that add nothing to a good one; `nil` in copies of versions that did not count them.
    package var repeated: UInt64?
    /// Records in it that another one replaces; `nil` in copies of versions that did not count them.
    package var replaced: UInt64?
    /// Kept records in it with a remark; `nil` if there are none.
    package var remarked: UInt64?
    /// The first records in it that were not kept; `nil` in copies of versions that did not note them.
    package var notes: [RecordNote]?
    /// The larger numbers of good records before, oldest and largest first; `nil` if there were none.
    package var peaks: [Peak]?
    /// Some of its places; `nil` if it has none.
    package var places: PlaceSample?
    /// Whether it is one of the samples.
    package var sample = false

    /// A number of good records, and when the source last confirmed it, in seconds since 1970.
    package struct Peak: Codable, Equatable, Sendable {
      let records: UInt64
      let seen: Int64
      /// Seconds for which it limits the loss of records: a week.
      static let duration: Int64 = 7 * 86_400
      /// Most of them that are kept.
      static let maximum = 64
    }

    /// Remembers the numbers of `old`, which this copy replaces.
    mutating func remember(_ old: Details) {
      let before = old.recent(at: confirmed).filter { $0.records > records }
      peaks = before.isEmpty ? nil : Array(before.prefix(Peak.maximum))
    }

    /// The present number of good records, and the larger ones of the last seven days.
    func recent(at now: Int64) -> [Peak] {
      (peaks ?? []).filter { now - $0.seen <= Peak.duration } + [Peak(records: records, seen: confirmed)]
    }

    /// All counts; `nil` in copies of versions that did not count everything.
    package var counts: RecordCounts? {
      guard let repeated, let replaced else { return nil }
      return RecordCounts(kept: records, repeated: repeated, replaced: replaced, skipped: skipped, remarked: remarked)
    }

    /// Stores the counts and notes of the parsed body.
    package mutating func count(_ contents: FeedContents) {
      (records, skipped) = (contents.counts.kept, contents.counts.skipped)
      (repeated, replaced) = (contents.counts.repeated, contents.counts.replaced)
      (remarked, notes) = (contents.counts.remarked, contents.notes)
    }

    /// Seconds since the source confirmed it; `nil` if that is in the future: the clock was set back.
    package func age(at now: Int64) -> Int64? { confirmed <= now ? now - confirmed : nil }
  }
}

extension StoredCopy {
  /// The part before the body: enough to compare copies, and a copy with the origin of a resident file.
  package struct Header: Equatable, Sendable {
    /// The details of the copy.
    package var details: Details
    /// Bytes of the body.
    package let length: UInt64
    /// XXH64 of the body.
    package let digest: UInt64

    /// The header for `body`.
    package init(_ details: Details, of body: SourceFile) {
      (self.details, length, digest) = (details, UInt64(body.bytes.count), body.digest)
    }

    private init(_ details: Details, _ length: UInt64, _ digest: UInt64) {
      (self.details, self.length, self.digest) = (details, length, digest)
    }

    /// Whether the copy has the bytes of `source`.
    package func isCopy(of source: SourceFile) -> Bool {
      length == UInt64(source.bytes.count) && digest == source.digest
    }

    /// The bytes of the file before the body, without the last notes if the details would be too large to be read.
    package var encoded: [UInt8] {
      guard let details = try? CBOREncoder().encode(details) else {
        preconditionFailure("the encoder takes all details")
      }
      if details.count > StoredCopy.maximumDetails, let notes = self.details.notes, !notes.isEmpty {
        var shorter = self
        shorter.details.notes = Array(notes.dropLast())
        return shorter.encoded
      }
      var bytes = StoredCopy.magic
      bytes.append(littleEndian: StoredCopy.formatVersion)
      bytes.append(littleEndian: UInt32(details.count))
      bytes.append(littleEndian: length)
      bytes.append(littleEndian: digest)
      bytes.append(littleEndian: CRC32C.checksum(of: bytes + details))
      return bytes + details
    }

    /// Reads the start of a file; `nil` if it is damaged, or has another format or version.
    init?(of file: [UInt8]) {
      guard file.count >= StoredCopy.prefixSize, file.starts(with: StoredCopy.magic),
        file.number(at: 8, as: UInt32.self) == StoredCopy.formatVersion
      else { return nil }
      let end = StoredCopy.prefixSize + Int(file.number(at: 12, as: UInt32.self))
      guard end <= min(file.count, StoredCopy.maximumHeader) else { return nil }
      let (checked, details) = (file[..<(StoredCopy.prefixSize - 4)], file[StoredCopy.prefixSize..<end])
      guard file.number(at: checked.count, as: UInt32.self) == CRC32C.checksum(of: checked + details),
        let details = try? CBORDecoder().decode(Details.self, from: Array(details))
      else { return nil }
      self.init(details, file.number(at: 16, as: UInt64.self), file.number(at: 24, as: UInt64.self))
    }
  }

  /// Reads a whole file; `nil` if it is damaged, or has another format or version.
  init?(file: consuming [UInt8]) {
    guard let header = Header(of: copy file) else { return nil }
    file.removeFirst(Self.prefixSize + Int(file.number(at: 12, as: UInt32.self)))
    let body = SourceFile(bytes: file)
    guard header.isCopy(of: body) else { return nil }
    (self.header, bytes) = (header, body.bytes)
  }
}
