/// Unpacks gzip (RFC 1952) with zlib.
package enum Gzip {
  /// Whether `bytes` start like a gzip member.
  package static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

  /// Unpacks all members of `bytes`, one after the other (RFC 1952, section 2.2).
  ///
  /// Nothing is given out unless every member is whole, up to its trailer, and its checksum and length are right. Only
  /// another member may follow a trailer.
  ///
  /// - Throws: ``GzipError``, also if the result would exceed `limit` bytes, which is checked while unpacking.
  /// - Complexity: O(bytes packed and unpacked).
  package static func unpack(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
    var unpacked: [UInt8] = []
    try forEachPiece(of: bytes, limit: limit) { piece, _ in unpacked.append(contentsOf: piece) }
    return unpacked
  }
}

extension Gzip {
  /// Unpacks all members of `bytes` and hands over what is in them, piece by piece, with the part of `bytes` that is
  /// done.
  ///
  /// The pieces are worth nothing if this fails in the end.
  ///
  /// - Throws: as ``unpack(_:limit:)``.
  /// - Complexity: O(bytes packed and unpacked), in memory a piece.
  static func forEachPiece(
    of bytes: [UInt8], limit: Int, _ body: (UnsafeRawBufferPointer, Double) -> Void
  ) throws(GzipError) {
    let unpacker = try GzipUnpacker(limit: limit)
    let taken: Result<Void, GzipError> = bytes.withUnsafeBytes { bytes in
      Result { () throws(GzipError) in
        try unpacker.take(bytes) { piece, remaining in body(piece, 1 - Double(remaining) / Double(max(bytes.count, 1)))
        }
      }
    }
    try taken.get()
    _ = try unpacker.finish()
  }

  /// The first bytes of what is in `bytes`, as far as they are sound: those of the first 16 KiB.
  static func head(of bytes: [UInt8]) -> [UInt8] {
    guard let unpacker = try? GzipUnpacker(limit: .max) else { return [] }
    _ = bytes.prefix(16 << 10).withUnsafeBytes { try? unpacker.take($0) }
    return unpacker.unpacked
  }
}

/// Unpacks gzip as it arrives, in pieces of any size.
package final class GzipUnpacker {
  /// Unpacked bytes that were not handed over.
  fileprivate var unpacked: [UInt8] = []
  /// Bytes that were unpacked.
  private var count = 0
  private let inflater: Inflater
  private let limit: Int
  private var isWithinMember = true

  /// An unpacker for at most `limit` bytes of output; it expects the start of a member.
  ///
  /// - Throws: ``GzipError`` if there is no memory.
  package init(limit: Int) throws(GzipError) {
    self.limit = limit
    do throws(Inflater.Fault) { inflater = try Inflater(.gzip) } catch { throw GzipError(error, limit: limit) }
  }

  /// Takes the next packed bytes.
  ///
  /// - Throws: ``GzipError`` as soon as they are wrong or unpack to too much; no other call may follow then.
  package func take(_ bytes: UnsafeRawBufferPointer) throws(GzipError) {
    try take(bytes) { piece, _ in unpacked.append(contentsOf: piece) }
  }

  /// The same, but hands over what they unpack to, piece by piece, with the number of packed bytes that are left.
  fileprivate func take(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Int) -> Void
  ) throws(GzipError) {
    do throws(Inflater.Fault) {
      try inflater.take(bytes)
      while inflater.remaining > 0 {
        if !isWithinMember { try inflater.restart() }
        isWithinMember = try !inflater.inflate { (piece) throws(Inflater.Fault) in
          count += piece.count
          guard count <= limit else { throw .tooLarge }
          body(piece, inflater.remaining)
        }
      }
    } catch {
      throw GzipError(error, limit: bytes.count > Inflater.maximumInput ? Inflater.maximumInput : limit)
    }
  }

  /// Everything that was unpacked.
  ///
  /// - Throws: ``GzipError/truncated`` if the last member has not ended.
  package func finish() throws(GzipError) -> [UInt8] {
    guard !isWithinMember else { throw .truncated }
    return unpacked
  }
}

/// Why bytes are not sound gzip.
package enum GzipError: Error, Equatable, Sendable, CustomStringConvertible {
  /// They end within a member.
  case truncated
  /// They unpack to more than was allowed.
  case tooLarge(limit: Int)
  /// zlib's words, as `incorrect data check`.
  case unpacker(String)

  fileprivate init(_ fault: Inflater.Fault, limit: Int) {
    switch fault {
    case .tooLarge: self = .tooLarge(limit: limit)
    case .damaged(let words): self = .unpacker(words)
    }
  }

  /// One clause.
  package var description: String {
    switch self {
    case .truncated: "the gzip data is cut off"
    case .tooLarge(let limit): "the gzip data unpacks to more than the \(limit) bytes that are accepted"
    case .unpacker(let text): "the gzip data is damaged: \(text)"
    }
  }
}
