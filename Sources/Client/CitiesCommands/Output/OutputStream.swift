internal import CBOR
import CBORTools
internal import Glibc
internal import System

/// Standard output: buffered and checked, and written in one write(2) if it is small.
///
/// The standard library's `print` ignores a full disk; this does not.
package final class OutputStream {
  /// The number of buffered bytes that triggers a write.
  private static let threshold = 64 * 1024

  /// The descriptor to write to; if it is negative, ``bytes`` are kept.
  package let descriptor: Int32
  /// The bytes not yet written.
  package var bytes: [UInt8] = []

  /// Whether output is only written on ``flush()``.
  var keepsEverything = false

  /// Creates a buffer for `descriptor`.
  package init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

  /// Whether the descriptor is a terminal, to which no control characters must be written.
  package private(set) lazy var isTerminal = isatty(descriptor) == 1

  /// Appends a text unchanged.
  package func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends any message of the protocol as one line of JSON, with the field names of the protocol.
  func writeJSON(_ message: some Encodable) throws {
    bytes.appendJSON(try CBORValue(decoding: CBOREncoder().encode(message)))
    write("\n")
  }

  /// Ends a row; writes if the buffer is large enough.
  func endRow() throws(OutputError) {
    if bytes.count >= Self.threshold && !keepsEverything { try flush() }
  }

  /// Writes the whole buffer.
  ///
  /// - Throws: ``OutputError``; ``OutputError/isClosed`` if the reader has closed its end.
  package func flush() throws(OutputError) {
    guard descriptor >= 0 else { return }
    defer { bytes.removeAll(keepingCapacity: true) }
    try Self.write(bytes, to: descriptor)
  }

  /// Writes all of `bytes`.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    try check(writeAll(bytes, to: descriptor))
  }

  /// Writes all of `bytes`.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(OutputError) {
    try check(writeAll(bytes, to: descriptor))
  }

  private static func check(_ code: Int32) throws(OutputError) {
    guard code == 0 else { throw OutputError(number: code) }
  }
}

/// The reason why output could not be written.
package struct OutputError: Error, Equatable, CustomStringConvertible {
  /// The system's error number.
  var number: Int32

  /// Whether the reader has closed the pipe, which is not an error.
  ///
  /// `citiesctl … | head` ends silently.
  var isClosed: Bool { number == EPIPE }

  package var description: String { "standard output: \(SystemError.text(number))" }
}

/// The formats of rows.
package enum OutputFormat: String, CaseIterable {
  /// Aligned columns with a header row, for people; may change.
  case table
  /// Values separated by TABs, one row per line, without a header row.
  case tsv
  /// One object `{total, generation, rows}`.
  case json
  /// One object per line for each row.
  case jsonl
  /// RFC 4180, with a header row.
  case csv
  /// RFC 7946, one feature per row.
  case geojson
  /// The text format of Prometheus, only for `status`.
  case prometheus

  /// The formats that all commands with rows have.
  static let ofRows = allCases.filter { $0 != .prometheus }

  /// Whether errors and notes are JSON objects as well.
  var isJSON: Bool { self == .json || self == .jsonl || self == .geojson }

  /// Whether the format has a place for data about all rows together.
  var hasHead: Bool { self == .json || self == .geojson }
}

/// The choice of when to emphasize output.
package enum ColourChoice: String, CaseIterable, Sendable {
  /// On a capable terminal, unless the environment overrides this.
  case auto
  case always
  case never

  /// The decision for one stream: the option, then a non-empty `NO_COLOR`, then `CLICOLOR_FORCE`, then whether it is a
  /// terminal and `TERM` is not `dumb`.
  package func applies(toTerminal isTerminal: @autoclosure () -> Bool, environment: (String) -> String?) -> Bool {
    guard self == .auto else { return self == .always }
    if let value = environment("NO_COLOR"), !value.isEmpty { return false }
    if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isTerminal() && !environment("TERM").is("dumb")
  }
}
