import CZlib

/// Unpacks gzip (RFC 1952) with zlib.
package enum Gzip {
  /// Bytes unpacked at once.
  private static let chunk = 256 << 10

  /// Whether `bytes` begin like a gzip member.
  package static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

  /// Unpacks all members of `bytes`, one after the other (RFC 1952, section 2.2).
  ///
  /// Nothing is given out unless every member is whole, up to its trailer, and its checksum and length are right. Only
  /// another member may follow a trailer.
  ///
  /// - Throws: ``GzipError``, also if the result would exceed `limit` bytes, which is checked while unpacking.
  /// - Complexity: O(bytes packed and unpacked).
  package static func unpack(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
    var inflater = try Inflater(limit: limit)
    var offset = 0
    repeat {
      offset += try bytes.withBytes(from: offset) { (rest) throws(GzipError) in try inflater.unpackMember(rest) }
    } while offset < bytes.count
    return inflater.unpacked
  }

  /// zlib's state and what it gave.
  private struct Inflater: ~Copyable {
    var unpacked: [UInt8] = []
    private var stream: UnsafeMutablePointer<z_stream>
    private let limit: Int

    init(limit: Int) throws(GzipError) {
      self.limit = limit
      stream = .allocate(capacity: 1)
      stream.initialize(to: z_stream())
      // The stream keeps a pointer to itself, so it stays where it is.
      guard cities_inflate_init_gzip(stream) == Z_OK else {
        stream.deallocate()
        throw .unpacker("no memory")
      }
    }

    deinit {
      inflateEnd(stream)
      stream.deallocate()
    }

    /// Unpacks the member at the start of `input`; gives its packed length.
    mutating func unpackMember(_ input: UnsafeRawBufferPointer) throws(GzipError) -> Int {
      guard inflateReset(stream) == Z_OK else { throw .unpacker("no state") }
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
      stream.pointee.avail_in = UInt32(clamping: input.count)
      var status = Z_OK
      while status != Z_STREAM_END {
        status = inflateChunk()
        guard unpacked.count <= limit else { throw .tooLarge(limit: limit) }
        guard status == Z_OK || status == Z_STREAM_END else { throw problem(status) }
      }
      return input.count - Int(stream.pointee.avail_in)
    }

    /// Appends what one call gives.
    private mutating func inflateChunk() -> Int32 {
      let start = unpacked.count
      unpacked.append(contentsOf: repeatElement(0, count: Gzip.chunk))
      let status = unpacked.withUnsafeMutableBufferPointer { buffer in
        stream.pointee.next_out = buffer.baseAddress?.advanced(by: start)
        stream.pointee.avail_out = UInt32(Gzip.chunk)
        return inflate(stream, Z_NO_FLUSH)
      }
      unpacked.removeLast(Int(stream.pointee.avail_out))
      return status
    }

    /// `Z_BUF_ERROR` means that input is wanted and none is left.
    private func problem(_ status: Int32) -> GzipError {
      if status == Z_BUF_ERROR { return .truncated }
      return .unpacker(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")
    }
  }
}

/// Why bytes are no sound gzip.
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

extension [UInt8] {
  fileprivate func withBytes<Value, Failure: Error>(
    from offset: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result: Result<Value, Failure> = self[offset...].withUnsafeBytes { bytes in
      do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
