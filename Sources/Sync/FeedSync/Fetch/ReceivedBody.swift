import Base
import CCurl

/// Receives a reply through libcurl's callbacks, within a limit of bytes.
final class ReceivedBody {
  /// The body of the last reply, unless it is packed.
  private var bytes: [UInt8] = []
  /// The `Content-Encoding` of the last reply in lower case; `nil` if there is none.
  private var encoding: String?
  /// Unpacks the body while it arrives, so that the limit holds for the unpacked bytes.
  private var unpacker: GzipUnpacker?
  /// Why the body cannot be taken.
  private(set) var problem: PackingError?
  private(set) var validators = SourceValidators()
  private let limit: Int
  private let attempt: AttemptOptions

  init(limit: Int, _ attempt: AttemptOptions) { (self.limit, self.attempt) = (limit, attempt) }

  /// Makes `handle` deliver here; the object must live until the transfer has ended.
  func receive(from handle: UnsafeMutableRawPointer) -> CURLcode {
    cities_curl_set_receivers(
      handle, Unmanaged.passUnretained(self).toOpaque(),
      { bytes, size, count, context in ReceivedBody.of(context).take(bytes, size * count) },
      { bytes, size, count, context in ReceivedBody.of(context).takeHeader(bytes, size * count) },
      { context, total, done, _, _ in ReceivedBody.of(context).report(done, of: total) })
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> ReceivedBody {
    guard let context else { preconditionFailure("every callback was given its object") }
    return Unmanaged.fromOpaque(context).takeUnretainedValue()
  }

  /// Takes a piece of the body; returning another number than `count` aborts the transfer.
  private func take(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    let piece = UnsafeRawBufferPointer(start: start, count: count)
    let refusal = count == 0 ? 1 : 0
    do throws(PackingError) {
      switch encoding {
      case nil, "identity":
        guard bytes.count + count <= limit else { throw .tooLarge("") }
        bytes.append(contentsOf: piece)
      case "gzip", "x-gzip":
        if unpacker == nil { unpacker = try GzipUnpacker(limit: limit) }
        try unpacker?.take(piece)
      case let other?:
        let words = "it is compressed with \"\(other.excerpt(40))\", which was not requested"
        throw .unreadable("the gzip data is damaged: \(words)")
      }
      return count
    } catch {
      problem = error
      return refusal
    }
  }

  /// Takes a header line; a status line starts a new reply.
  private func takeHeader(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    let line = UnsafeRawBufferPointer(start: start, count: count)
    if line.starts(with: "HTTP/".utf8) {
      validators = SourceValidators()
      (encoding, unpacker, bytes) = (nil, nil, [])
    } else if let value = Self.value(of: "etag:", in: line) {
      validators.etag = value
    } else if let value = Self.value(of: "last-modified:", in: line) {
      validators.modified = value
    } else if let value = Self.value(of: "content-encoding:", in: line) {
      // Several lines of one name are a list (RFC 9110, section 5.3).
      encoding = (encoding.map { "\($0), " } ?? "") + value.lowercased()
    }
    return count
  }

  /// The value of a header line with `name`, if it is short and printable ASCII; later requests send it back verbatim.
  private static func value(of name: String, in line: UnsafeRawBufferPointer) -> String? {
    guard line.count <= name.utf8.count + FetchLimits.validatorBytes else { return nil }
    guard line.prefix(name.utf8.count).elementsEqual(name.utf8, by: { $0 | 0x20 == $1 || $0 == $1 }) else { return nil }
    var value = line.dropFirst(name.utf8.count).drop { $0 == 0x20 || $0 == 0x09 }
    while let last = value.last, [0x20, 0x09, 0x0D, 0x0A].contains(last) { value = value.dropLast() }
    guard !value.isEmpty, value.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  /// The whole body, unpacked.
  ///
  /// Not left to libcurl, which accepts gzip without its trailer.
  ///
  /// - Throws: ``PackingError`` if it ends too early.
  func whole() throws(PackingError) -> [UInt8] { try unpacker?.finish() ?? bytes }

  /// Reports progress; returning anything but 0 aborts the transfer.
  private func report(_ done: curl_off_t, of total: curl_off_t) -> Int32 {
    if total > 0 { attempt.progress(Progress("downloading", done: downloadShare * Double(done) / Double(total))) }
    return attempt.isCancelled() ? 1 : 0
  }
}
