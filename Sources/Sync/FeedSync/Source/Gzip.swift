/// Unpacks gzip (RFC 1952) with zlib.
package enum Gzip {
  /// Whether `bytes` start like a gzip member.
  package static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

  /// Unpacks all members of `bytes`, one after the other (RFC 1952, section 2.2).
  ///
  /// Returns nothing unless every member is complete, with a correct checksum and length. Only another member may
  /// follow a trailer.
  ///
  /// - Throws: ``PackingError``, also if the result would exceed `limit` bytes, which is checked while unpacking.
  /// - Complexity: O(bytes packed and unpacked).
  package static func unpack(_ bytes: [UInt8], limit: Int) throws(PackingError) -> [UInt8] {
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
  /// - Throws: as ``unpack(_:limit:)``, and any error of `body`.
  /// - Complexity: O(bytes packed and unpacked), in memory a piece.
  static func forEachPiece(
    of bytes: [UInt8], limit: Int, _ body: (UnsafeRawBufferPointer, Double) throws(PackingError) -> Void
  ) throws(PackingError) {
    let unpacker = try GzipUnpacker(limit: limit)
    try bytes.withBytes { (bytes) throws(PackingError) in
      try unpacker.take(bytes) { (piece, remaining) throws(PackingError) in
        try body(piece, 1 - Double(remaining) / Double(max(bytes.count, 1)))
      }
    }
    _ = try unpacker.finish()
  }
}

/// Unpacks gzip as it arrives, in pieces of any size.
package final class GzipUnpacker {
  /// Unpacked bytes, unless a closure received them.
  private var unpacked: [UInt8] = []
  /// The number of bytes unpacked.
  private(set) var count = 0
  private let inflater: Inflater
  private let limit: Int
  private var isWithinMember = true

  /// An unpacker for at most `limit` bytes of output.
  ///
  /// - Throws: ``PackingError`` if out of memory.
  package init(limit: Int) throws(PackingError) {
    self.limit = limit
    inflater = try Inflater(.gzip, "the gzip data is damaged")
  }

  /// Takes the next packed bytes.
  ///
  /// - Throws: ``PackingError`` as soon as they are damaged or exceed the limit; the unpacker must not be used then.
  package func take(_ bytes: UnsafeRawBufferPointer) throws(PackingError) {
    try take(bytes) { piece, _ in unpacked.append(contentsOf: piece) }
  }

  /// Likewise, but passes each unpacked piece to `body`, with the number of packed bytes left.
  fileprivate func take(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Int) throws(PackingError) -> Void
  ) throws(PackingError) {
    inflater.take(bytes)
    while inflater.remaining > 0 {
      if !isWithinMember { try inflater.restart() }
      isWithinMember = try !inflater.inflate { (piece) throws(PackingError) in
        count += piece.count
        guard count <= limit else {
          throw .tooLarge("the gzip data unpacks to more than the \(limit) bytes that are accepted")
        }
        try body(piece, inflater.remaining)
      }
    }
  }

  /// All unpacked bytes.
  ///
  /// - Throws: ``PackingError`` if the last member is incomplete.
  package func finish() throws(PackingError) -> [UInt8] {
    guard !isWithinMember else { throw .unreadable("the gzip data is cut off") }
    return unpacked
  }
}
