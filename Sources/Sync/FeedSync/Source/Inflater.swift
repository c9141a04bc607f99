import CZlib

/// Unpacks one stream of deflate (RFC 1951) with zlib, in pieces of any size.
///
/// What the stream is in is for ``GzipUnpacker`` and ``ZipArchive``; both hold the output within a limit while it is
/// made.
final class Inflater {
  /// What surrounds the stream.
  enum Wrapping {
    /// A gzip member, whose header, checksum and length zlib checks (RFC 1952).
    case gzip
    /// Nothing.
    case none
  }

  /// Why a stream cannot be unpacked.
  enum Fault: Error, Equatable {
    /// There would be more output than is accepted.
    case tooLarge
    /// zlib's words, as `incorrect data check`.
    case damaged(String)
  }

  /// Bytes unpacked at once.
  private static let chunk = 256 << 10
  /// Bytes of input that zlib takes at once.
  static let maximumInput = Int(UInt32.max)

  /// Where each call of zlib puts its output; allocated once, as pieces of the input may be small.
  private let output: UnsafeMutableBufferPointer<UInt8>
  private let stream: UnsafeMutablePointer<z_stream>

  /// Expects the start of a stream.
  ///
  /// - Throws: ``Fault`` if there is no memory.
  init(_ wrapping: Wrapping) throws(Fault) {
    output = .allocate(capacity: Self.chunk)
    output.initialize(repeating: 0)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // The stream keeps a pointer to itself, so it stays where it is.
    let status = wrapping == .gzip ? cities_inflate_init_gzip(stream) : cities_inflate_init_raw(stream)
    guard status == Z_OK else {
      stream.deallocate()
      output.deallocate()
      throw .damaged("no memory")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Bytes of the input that are not taken yet.
  var remaining: Int { Int(stream.pointee.avail_in) }

  /// Gives it the next input, which must stay where it is as long as any of it is ``remaining``.
  ///
  /// - Throws: ``Fault`` if it is longer than ``maximumInput``.
  func take(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
    guard bytes.count <= Self.maximumInput else { throw .tooLarge }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(bytes.count)
  }

  /// Expects the start of another stream.
  func restart() throws(Fault) {
    guard inflateReset(stream) == Z_OK else { throw .damaged("no state") }
  }

  /// Hands over what the input gives, piece by piece, up to the end of the input or of the stream; returns whether the
  /// stream has ended.
  ///
  /// - Throws: ``Fault`` as soon as the input is wrong, and what `take` throws.
  func inflate(_ take: (UnsafeRawBufferPointer) throws(Fault) -> Void) throws(Fault) -> Bool {
    while true {
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(Self.chunk)
      let status = CZlib.inflate(stream, Z_NO_FLUSH)
      let count = Self.chunk - Int(stream.pointee.avail_out)
      if count > 0 { try take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[..<count])) }
      switch status {
      case Z_STREAM_END: return true
      // All input is taken, and no output waits for room.
      case Z_OK where stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0, Z_BUF_ERROR: return false
      case Z_OK: continue
      default: throw .damaged(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")
      }
    }
  }
}
