import CBOR
import Resident

/// The file of a stored copy.
///
/// All numbers are little-endian.
///
/// | Offset | Bytes | Meaning |
/// |---|---|---|
/// | 0 | 8 | magic `89 43 53 52 0D 0A 1A 0A` |
/// | 8 | 4 | format version, ``StoredCopy/formatVersion`` |
/// | 12 | 4 | bytes of the details, at most ``StoredCopy/maximumDetails`` |
/// | 16 | 8 | bytes of the body |
/// | 24 | 8 | XXH64 of the body |
/// | 32 | 4 | CRC32C of bytes 0 to 31 and of the details |
/// | 36 | n | the details: a CBOR map `{url, confirmed, validators: {? etag, ? modified}, records, skipped, ? repeated, |
/// | | | ? replaced, ? notes: [{fate, reason, record}], sample}` |
/// | | | the body; it ends the file |
extension StoredCopy {
  /// The first eight bytes.
  package static let magic: [UInt8] = [0x89, 0x43, 0x53, 0x52, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The layout that this build writes and reads.
  package static let formatVersion: UInt32 = 1
  /// Bytes of the details that are read.
  package static let maximumDetails = 65_536

  /// Bytes in front of the details.
  private static let headSize = 36
  /// Where the checksum stands.
  private static let checksum = 32

  /// Everything in front of the body.
  package var head: [UInt8] {
    guard let details = try? CBOREncoder().encode(details) else {
      preconditionFailure("the encoder takes all details")
    }
    var head = Self.magic
    head.append(littleEndian: Self.formatVersion)
    head.append(littleEndian: UInt32(details.count))
    head.append(littleEndian: UInt64(bytes.count))
    head.append(littleEndian: bytes.withUnsafeBytes { XXH64.hash(of: $0) })
    head.append(littleEndian: CRC32C.checksum(of: head + details))
    return head + details
  }

  /// Reads a file's bytes; `nil` if they are not as they were written, or written by a program of another version.
  package init?(file: [UInt8]) {
    guard let copy = file.withUnsafeBytes(Self.read) else { return nil }
    self = copy
  }

  private static func read(_ file: UnsafeRawBufferPointer) -> StoredCopy? {
    guard file.count >= headSize, file.starts(with: magic), file.number(at: 8, as: UInt32.self) == formatVersion
    else { return nil }
    let count = Int(file.number(at: 12, as: UInt32.self))
    guard count <= maximumDetails, count <= file.count - headSize else { return nil }
    let details = file[headSize..<headSize + count]
    guard file.number(at: checksum, as: UInt32.self) == CRC32C.checksum(of: Array(file[..<checksum]) + details) else {
      return nil
    }
    let body = UnsafeRawBufferPointer(rebasing: file[(headSize + count)...])
    guard file.number(at: 16, as: UInt64.self) == UInt64(body.count),
      file.number(at: 24, as: UInt64.self) == XXH64.hash(of: body)
    else { return nil }
    return (try? CBORDecoder().decode(Details.self, from: Array(details))).map { StoredCopy($0, Array(body)) }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
