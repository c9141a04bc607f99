import CZlib

/// Unpacks one stream of deflate (RFC 1951) with zlib, in pieces of any size.
///
/// ``GzipUnpacker`` and ``ZipArchive`` read the containers, and limit the output while unpacking.
final class Inflater {
  /// The container of the stream.
  enum Wrapping {
    /// A gzip member, whose header, checksum and length zlib checks (RFC 1952).
    case gzip
    /// A bare stream.
    case none
  }

  /// The size of the output buffer, in bytes.
  private static let chunk = 256 << 10

  /// The output of each call of zlib; allocated once, because pieces of input may be small.
  private let output: UnsafeMutableBufferPointer<UInt8>
  private let stream: UnsafeMutablePointer<z_stream>
  /// The start of messages about damage, before zlib's words.
  private let subject: String

  /// Prepares for the start of a stream; messages about damage start with `subject`.
  ///
  /// - Throws: ``PackingError`` if out of memory.
  init(_ wrapping: Wrapping, _ subject: String) throws(PackingError) {
    self.subject = subject
    output = .allocate(capacity: Self.chunk)
    output.initialize(repeating: 0)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // zlib keeps a pointer to the stream, so it must not move.
    let status = wrapping == .gzip ? cities_inflate_init_gzip(stream) : cities_inflate_init_raw(stream)
    guard status == Z_OK else {
      stream.deallocate()
      output.deallocate()
      throw .unreadable("\(subject): no memory")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Bytes of the input that are not yet consumed.
  var remaining: Int { Int(stream.pointee.avail_in) }

  /// Sets the next input, less than 4 GiB, which must stay valid while any of it is ``remaining``.
  func take(_ bytes: UnsafeRawBufferPointer) {
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(bytes.count)
  }

  /// Prepares for another stream.
  ///
  /// - Throws: ``PackingError`` if zlib has lost its state.
  func restart() throws(PackingError) {
    guard inflateReset(stream) == Z_OK else { throw .unreadable("\(subject): no state") }
  }

  /// Unpacks piece by piece, up to the end of the input or of the stream; returns whether the stream has ended.
  ///
  /// - Throws: ``PackingError`` as soon as the input is invalid, and any error of `take`.
  func inflate(_ take: (UnsafeRawBufferPointer) throws(PackingError) -> Void) throws(PackingError) -> Bool {
    while true {
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(Self.chunk)
      let status = CZlib.inflate(stream, Z_NO_FLUSH)
      let count = Self.chunk - Int(stream.pointee.avail_out)
      if count > 0 { try take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[..<count])) }
      switch status {
      case Z_STREAM_END: return true
      // All input is consumed, and no output is pending.
      case Z_OK where stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0, Z_BUF_ERROR: return false
      case Z_OK: continue
      default:
        throw .unreadable("\(subject): \(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")")
      }
    }
  }
}

/// Why packed bytes cannot be read, in one clause.
package enum PackingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// They unpack to more than is accepted.
  case tooLarge(String)
  /// They are damaged, cut off, or of an unsupported kind.
  case unreadable(String)

  /// The clause.
  package var description: String {
    switch self {
    case .tooLarge(let clause), .unreadable(let clause): clause
    }
  }
}
