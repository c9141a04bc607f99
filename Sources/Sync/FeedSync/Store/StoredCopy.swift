import Base
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
/// | | | ? replaced, ? notes: [{fate, reason, record}], sample}` |
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
    /// The first records in it that were not kept; `nil` in copies of versions that did not note them.
    package var notes: [RecordNote]?
    /// Whether it is one of the samples.
    package var sample = false

    /// All counts; `nil` in copies of versions that did not count everything.
    package var counts: RecordCounts? {
      guard let repeated, let replaced else { return nil }
      return RecordCounts(kept: records, repeated: repeated, replaced: replaced, skipped: skipped)
    }

    /// Stores the counts and notes of the parsed body.
    package mutating func count(_ contents: FeedContents) {
      (records, skipped) = (contents.counts.kept, contents.counts.skipped)
      (repeated, replaced) = (contents.counts.repeated, contents.counts.replaced)
      notes = contents.notes
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

    /// The size of the details after `prefix`, the first bytes of a file; `nil` for another format or version.
    static func detailsCount(after prefix: [UInt8]) -> Int? {
      guard prefix.count == StoredCopy.prefixSize, prefix.starts(with: StoredCopy.magic),
        prefix.number(at: 8, as: UInt32.self) == StoredCopy.formatVersion
      else { return nil }
      let count = Int(prefix.number(at: 12, as: UInt32.self))
      return count <= StoredCopy.maximumDetails ? count : nil
    }

    /// Reads `prefix` and the `details` after it; `nil` if they are damaged.
    static func read(_ prefix: [UInt8], _ details: [UInt8]) -> Header? {
      guard detailsCount(after: prefix) == details.count else { return nil }
      let checksum = prefix.number(at: StoredCopy.prefixSize - 4, as: UInt32.self)
      guard checksum == CRC32C.checksum(of: prefix.dropLast(4) + details) else { return nil }
      return (try? CBORDecoder().decode(Details.self, from: details)).map {
        Header($0, prefix.number(at: 16, as: UInt64.self), prefix.number(at: 24, as: UInt64.self))
      }
    }
  }
}

extension [UInt8] {
  fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    withUnsafeBytes { $0.load(littleEndian: type, at: offset) }
  }
}
