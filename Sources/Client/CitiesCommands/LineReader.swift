internal import Glibc
internal import System

/// Reads lines from a descriptor as they arrive: of any length, with any bytes, ended by LF or CR LF.
///
/// The C library's stream is unsuitable: the test for another line would block in the middle of a line.
package struct LineReader {
  /// A line without its end; invalid UTF-8 and a line that is too long are failures.
  package typealias Line = Result<String, CommandFailure>

  /// The maximum number of bytes of a line; longer ones are discarded.
  let maximum: Int

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  /// The offset at which the search for LF continues, so that a long line is not searched again after every read.
  private var searched = 0
  private var isAtEnd = false
  private var isSkipping = false

  /// Reads from `descriptor`.
  package init(descriptor: Int32, maximum: Int) { (self.descriptor, self.maximum) = (descriptor, maximum) }

  /// Waits for the next line; `nil` at the end.
  ///
  /// Bytes after the last LF form a line, too.
  ///
  /// - Complexity: O(length of the line).
  package mutating func next() throws(CommandFailure) -> Line? {
    while true {
      if let end = lineEnd() { return take(upTo: end, skipping: 1) }
      limitWhatIsKept()
      if isAtEnd { return start < buffer.count || isSkipping ? take(upTo: buffer.count, skipping: 0) : nil }
      try fill()
    }
  }

  /// Whether the end was read and every line returned.
  package var isOver: Bool { isAtEnd && start >= buffer.count && !isSkipping }

  /// Whether another line has already arrived, so that ``next()`` would not wait.
  package mutating func hasNext() throws(CommandFailure) -> Bool {
    while lineEnd() == nil {
      limitWhatIsKept()
      if isAtEnd { return start < buffer.count || isSkipping }
      guard waitUntilReady(descriptor, for: POLLIN, milliseconds: 0) else { return false }
      try fill()
    }
    return true
  }

  private mutating func lineEnd() -> Int? {
    let end = buffer[max(searched, start)...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end ?? buffer.count
    return end
  }

  private mutating func take(upTo end: Int, skipping separator: Int) -> Line {
    var line = buffer[start..<end]
    start = end + separator
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    defer { isSkipping = false }
    guard !isSkipping, line.count <= maximum else {
      return .failure(Self.failure("has more than \(maximum) bytes, which no request may have"))
    }
    return String(validating: line, as: UTF8.self).map(Line.success) ?? .failure(Self.failure("is not valid UTF-8"))
  }

  static func failure(_ problem: String) -> CommandFailure {
    CommandFailure(.badData, code: "bad-data", "the line \(problem)")
  }

  /// Discards the bytes of a line that is already too long.
  private mutating func limitWhatIsKept() {
    guard buffer.count - start > maximum + 1 else { return }
    isSkipping = true
    buffer.removeAll(keepingCapacity: true)
    (start, searched) = (0, 0)
  }

  private mutating func fill() throws(CommandFailure) {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    let room = 16 * 1024
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: room))
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + old }, room) }
    let number = errno
    buffer.removeLast(room - max(0, count))
    if count == 0 { isAtEnd = true }
    if count < 0 { try waitForInput(descriptor, after: number) }
  }
}

/// Waits until standard input, of which a read failed with the error `number`, can be read again.
///
/// - Throws: `CommandFailure` if waiting does not help.
package func waitForInput(_ descriptor: Int32, after number: Int32) throws(CommandFailure) {
  switch number {
  case EINTR: break
  case EAGAIN: waitUntilReady(descriptor, for: POLLIN)
  default: throw CommandFailure(.inputOutput, code: "input-output", "standard input: \(SystemError.text(number))")
  }
}
