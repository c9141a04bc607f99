import Base
internal import CBOR
import CBORTools
internal import Glibc
internal import System

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

  /// Writes all of `bytes`.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    let code = writeAll(bytes, to: descriptor)
    guard code == 0 else { throw OutputError(number: code) }
  }
}

/// Why output could not be written.
package struct OutputError: Error, Equatable, CustomStringConvertible {
  /// The system's error number.
  var number: Int32

  /// Nobody reads any more, which is no fault: `citiesctl … | head` ends quietly.
  var isClosed: Bool { number == EPIPE }

  package var description: String { "standard output: \(SystemError.text(number))" }
}
