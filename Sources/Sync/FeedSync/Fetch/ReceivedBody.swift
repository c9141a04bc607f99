import CCurl
import System

/// Receives a reply through libcurl's callbacks, within a limit of bytes.
final class ReceivedBody {
  /// The body of the last reply, unless it is packed.
  private var bytes: [UInt8] = []
  /// The `Content-Encoding` of the last reply in lower case; `nil` if there is none.
  private var encoding: String?
  /// The charset that the last reply names.
  private var charset: String?
  /// Unpacks the body while it arrives, so that the limit holds for the unpacked bytes.
  private var unpacker: GzipUnpacker?
  /// Whether the body is stored as it arrives, whatever its encoding is called.
  private var isPlain = false
  /// Why the body cannot be taken.
  private(set) var problem: PackingError?
  private(set) var validators = SourceValidators()
  /// The seconds of `Retry-After`, at most a day.
  private(set) var retryAfter: Int64?
  /// Whether the download was ended because its source is slow and others wait.
  private(set) var hasMadeWay = false
  /// The time, in monotonic milliseconds, and the bytes received at which the speed was last measured.
  private var measured = (time: MonotonicClock.milliseconds(), bytes: Int64(0))
  private var isSlow = false
  private let limit: Int
  /// When the source becomes slow whatever its speed is, in monotonic milliseconds.
  private let late: Int64
  private let attempt: AttemptOptions

  init(limit: Int, late: Int64, _ attempt: AttemptOptions) {
    (self.limit, self.late, self.attempt) = (limit, late, attempt)
  }

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
      guard unpacker == nil else {
        try unpacker?.take(piece)
        return count
      }
      guard bytes.count + count <= limit else { throw .tooLarge("") }
      bytes.append(contentsOf: piece)
      if !isPlain, bytes.count >= 2 { try findForm() }
      return count
    } catch {
      problem = error
      return refusal
    }
  }

  /// Finds out from the first bytes whether the body is packed: headers may name an encoding that it does not have.
  private func findForm() throws(PackingError) {
    guard encoding.is("gzip") || encoding.is("x-gzip"), Gzip.isPacked(bytes) else {
      isPlain = true
      return
    }
    let unpacker = try GzipUnpacker(limit: limit)
    try bytes.withBytes { (head) throws(PackingError) in try unpacker.take(head) }
    (self.unpacker, bytes) = (unpacker, [])
  }

  /// Takes a header line; a status line starts a new reply.
  private func takeHeader(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    let line = UnsafeRawBufferPointer(start: start, count: count)
    if line.starts(with: "HTTP/".utf8) {
      validators = SourceValidators()
      (encoding, charset, unpacker, bytes, isPlain, retryAfter) = (nil, nil, nil, [], false, nil)
    } else if let value = Self.value(of: "etag:", in: line) {
      validators.etag = value
    } else if let value = Self.value(of: "last-modified:", in: line) {
      validators.modified = value
    } else if let value = Self.value(of: "content-type:", in: line) {
      charset = Self.charset(of: value)
    } else if let value = Self.value(of: "retry-after:", in: line) {
      retryAfter = Self.seconds(retryAfter: value)
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

  /// The charset of `text/csv; charset="windows-1257"`.
  private static func charset(of type: String) -> String? {
    let words = type.utf8.split { ";\t ".utf8.contains($0) }.map { String(Substring($0)) }
    let charset = words.first { $0.lowercased().hasPrefix("charset=") }
    return charset.map { word in
      String(decoding: word.utf8.dropFirst("charset=".utf8.count).filter { !"\"'".utf8.contains($0) }, as: UTF8.self)
    }
  }

  /// The most seconds of `Retry-After` that are obeyed: a day.
  static let longestWait: Int64 = 86_400

  /// The seconds of `Retry-After`: a number, or a date (RFC 9110, section 10.2.3).
  private static func seconds(retryAfter value: String) -> Int64? {
    let date = curl_getdate(value, nil)
    let seconds = Int64(value) ?? (date < 0 ? nil : Int64(date) - SystemClock.seconds())
    return seconds.flatMap { $0 > 0 ? min($0, longestWait) : nil }
  }

  /// The whole body, unpacked, and in UTF-8 if its charset is known.
  ///
  /// Not left to libcurl, which accepts gzip without its trailer. A body in another encoding than gzip has bytes that
  /// no text has.
  ///
  /// - Throws: ``PackingError`` if it ends too early, or is not text in spite of its encoding.
  func whole() throws(PackingError) -> [UInt8] {
    if let unpacker { return try unpacker.finish().decoded(from: charset, limit: limit) }
    let isText = bytes.prefix(1 << 10).allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0C, 0x0D].contains($0) }
    guard let encoding, encoding != "identity", !isText else {
      return bytes.decoded(from: charset, limit: limit)
    }
    guard encoding != "gzip", encoding != "x-gzip" else { throw .unreadable("the gzip data is damaged: no gzip") }
    throw .unreadable("it is compressed with \"\(encoding.excerpt(40))\", which was not requested")
  }

  /// Reports progress; returning anything but 0 aborts the transfer.
  private func report(_ done: curl_off_t, of total: curl_off_t) -> Int32 {
    if total > 0 { attempt.progress(Progress("downloading", done: downloadShare * Double(done) / Double(total))) }
    let (time, seconds) = (MonotonicClock.milliseconds(), FetchLimits.slowSeconds)
    if time - measured.time >= seconds * 1_000 {
      isSlow = Int64(done) - measured.bytes < FetchLimits.slowSpeed * seconds
      measured = (time, Int64(done))
    }
    guard !attempt.isCancelled() else { return 1 }
    hasMadeWay = !attempt.makesWay(unpacker?.count ?? bytes.count, isSlow || time >= late)
    return hasMadeWay ? 1 : 0
  }
}
