import Base
internal import CBOR
import CBORTools
internal import Glibc

/// Standard output: collected, written with checked calls, and in one write(2) where it is small.
///
/// The standard library's `print` ends well on a full disk; this does not.
package final class Output {
  /// Collected bytes are written when there are so many.
  private static let threshold = 64 * 1024

  /// Where to.
  package let descriptor: Int32
  /// What was collected and not yet written.
  package var bytes: [UInt8] = []

  /// Whether nothing is written before it is asked for.
  var keepsEverything = false

  /// Collects for `descriptor`.
  package init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

  /// Whether it is a terminal, where control characters must not go.
  package private(set) lazy var isTerminal = isatty(descriptor) == 1

  /// Collects a text as it is.
  package func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Collects any wire message as one line of JSON, with the field names of the wire.
  func writeJSON(_ message: some Encodable) throws {
    bytes.appendJSON(try CBORValue(decoding: CBOREncoder().encode(message)))
    write("\n")
  }

  /// Ends a row: writes if enough was collected.
  func endRow() throws(OutputError) {
    if bytes.count >= Self.threshold && !keepsEverything { try flush() }
  }

  /// Writes everything that was collected.
  ///
  /// - Throws: ``OutputError``, `.closed` if nobody reads any more.
  package func flush() throws(OutputError) {
    defer { bytes.removeAll(keepingCapacity: true) }
    try Self.write(bytes, to: descriptor)
  }

  /// Writes all of `bytes`, however often the system takes only a part.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        // A terminal or pipe that another program has made non-blocking.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      } else if errno != EINTR {
        throw OutputError(number: errno)
      }
    }
  }
}

/// Why output could not be written.
package struct OutputError: Error, Equatable, CustomStringConvertible {
  /// The system's error number.
  var number: Int32

  /// Nobody reads any more, which is no fault: `citiesctl … | head` ends quietly.
  var isClosed: Bool { number == EPIPE }

  package var description: String { "standard output: \(systemText(number))" }
}

/// The system's text for an error number.
func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
