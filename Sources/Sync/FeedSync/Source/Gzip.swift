import CZlib

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
    let unpacker = try GzipUnpacker(limit: limit)
    let taken: Result<Void, GzipError> = bytes.withUnsafeBytes { bytes in
      do throws(GzipError) { return .success(try unpacker.take(bytes)) } catch { return .failure(error) }
    }
    try taken.get()
    return try unpacker.finish()
  }
}

/// Unpacks gzip as it arrives, in pieces of any size.
package final class GzipUnpacker {
  /// Bytes unpacked at once.
  private static let chunk = 256 << 10

  private var unpacked: [UInt8] = []
  /// Where each call of zlib puts its output; allocated once, as pieces of the input may be small.
  private let output: UnsafeMutableBufferPointer<UInt8>
  private let stream: UnsafeMutablePointer<z_stream>
  private let limit: Int
  private var isWithinMember = true

  /// An unpacker for at most `limit` bytes of output; it expects the start of a member.
  ///
  /// - Throws: ``GzipError`` if there is no memory.
  package init(limit: Int) throws(GzipError) {
    self.limit = limit
    output = .allocate(capacity: Self.chunk)
    output.initialize(repeating: 0)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // The stream keeps a pointer to itself, so it stays where it is.
    guard cities_inflate_init_gzip(stream) == Z_OK else {
      stream.deallocate()
      output.deallocate()
      throw .unpacker("no memory")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Takes the next packed bytes.
  ///
  /// - Throws: ``GzipError`` as soon as they are wrong or unpack to too much; no other call may follow then.
  package func take(_ bytes: UnsafeRawBufferPointer) throws(GzipError) {
    guard bytes.count <= Int(UInt32.max) else { throw .tooLarge(limit: Int(UInt32.max)) }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(bytes.count)
    while stream.pointee.avail_in > 0 {
      if !isWithinMember {
        guard inflateReset(stream) == Z_OK else { throw .unpacker("no state") }
        isWithinMember = true
      }
      try inflateMember()
    }
  }

  /// Everything that was unpacked.
  ///
  /// - Throws: ``GzipError/truncated`` if the last member has not ended.
  package func finish() throws(GzipError) -> [UInt8] {
    guard !isWithinMember else { throw .truncated }
    return unpacked
  }

  /// Unpacks up to the end of the input or of the member.
  private func inflateMember() throws(GzipError) {
    while true {
      let status = inflateChunk()
      guard unpacked.count <= limit else { throw .tooLarge(limit: limit) }
      switch status {
      case Z_STREAM_END:
        isWithinMember = false
        return
      // All input is taken, and no output waits for room.
      case Z_OK where stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0, Z_BUF_ERROR: return
      case Z_OK: continue
      default: throw .unpacker(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")
      }
    }
  }

  /// Appends the output of one call.
  private func inflateChunk() -> Int32 {
    stream.pointee.next_out = output.baseAddress
    stream.pointee.avail_out = UInt32(Self.chunk)
    let status = inflate(stream, Z_NO_FLUSH)
    unpacked.append(contentsOf: UnsafeBufferPointer(rebasing: output[..<(Self.chunk - Int(stream.pointee.avail_out))]))
    return status
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

  /// One clause.
  package var description: String {
    switch self {
    case .truncated: "the gzip data is cut off"
    case .tooLarge(let limit): "the gzip data unpacks to more than the \(limit) bytes that are accepted"
    case .unpacker(let text): "the gzip data is damaged: \(text)"
    }
  }
}
