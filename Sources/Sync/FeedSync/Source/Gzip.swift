/// Unpacks gzip (RFC 1952) with zlib.
package enum Gzip {
  /// Whether `bytes` start like a gzip member.
  package static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

  /// Unpacks all members of `bytes`, one after the other (RFC 1952, section 2.2).
  ///
  /// Returns nothing unless every member is complete, with a correct checksum and length. Only another member may
  /// follow a trailer.
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
  /// Unpacks all members of `bytes` piece by piece; each piece comes with the fraction of `bytes` done.
  ///
  /// If it throws, discard the earlier pieces.
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

  /// The start of the unpacked contents: what the first 16 KiB give, as far as they are sound.
  static func head(of bytes: [UInt8]) -> [UInt8] {
    guard let unpacker = try? GzipUnpacker(limit: .max) else { return [] }
    _ = bytes.prefix(16 << 10).withUnsafeBytes { try? unpacker.take($0) }
    return unpacker.unpacked
  }
}

/// Unpacks gzip as it arrives, in pieces of any size.
package final class GzipUnpacker {
  /// Unpacked bytes, unless a closure received them.
  fileprivate var unpacked: [UInt8] = []
  /// The number of bytes unpacked.
  private var count = 0
  private let inflater: Inflater
  private let limit: Int
  private var isWithinMember = true

  /// An unpacker for at most `limit` bytes of output.
  ///
  /// - Throws: ``GzipError`` if out of memory.
  package init(limit: Int) throws(GzipError) {
    self.limit = limit
    do throws(Inflater.Fault) { inflater = try Inflater(.gzip) } catch { throw GzipError(error, limit: limit) }
  }

  /// Takes the next packed bytes.
  ///
  /// - Throws: ``GzipError`` as soon as they are damaged or exceed the limit; the unpacker must not be used after that.
  package func take(_ bytes: UnsafeRawBufferPointer) throws(GzipError) {
    try take(bytes) { piece, _ in unpacked.append(contentsOf: piece) }
  }

  /// Likewise, but passes each unpacked piece to `body`, with the number of packed bytes left.
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

  /// All unpacked bytes.
  ///
  /// - Throws: ``GzipError/truncated`` if the last member is incomplete.
  package func finish() throws(GzipError) -> [UInt8] {
    guard !isWithinMember else { throw .truncated }
    return unpacked
  }
}

/// Why gzip data is invalid.
package enum GzipError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It ends within a member.
  case truncated
  /// It unpacks to more than the limit.
  case tooLarge(limit: Int)
  /// zlib's message, such as `incorrect data check`.
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
