import Base
internal import CBOR
import CBORTools
internal import Glibc
internal import System

/// Standard output: collected, written with checked calls, and in one write(2) where it is small.
///
/// The standard library's `print` ends well on a full disk; this does not.
package final class OutputStream {
  /// The number of collected bytes at which they are written.
  private static let threshold = 64 * 1024

  /// Where to.
  package let descriptor: Int32
  /// The bytes collected and not yet written.
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
  /// - Throws: ``OutputError``, `.closed` if the reader has closed its end.
  package func flush() throws(OutputError) {
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

/// Why output could not be written.
package struct OutputError: Error, Equatable, CustomStringConvertible {
  /// The system's error number.
  var number: Int32

  /// The reader has closed the pipe, which is not a fault: `citiesctl … | head` ends silently.
  var isClosed: Bool { number == EPIPE }

  package var description: String { "standard output: \(SystemError.text(number))" }
}

/// How rows are written.
enum OutputFormat: String, CaseIterable {
  /// Aligned columns with a head line, for people; may change.
  case table
  /// Values between TABs, one row per line, no header row.
  case tsv
  /// One object `{total, generation, rows}`.
  case json
  /// One object per row and line.
  case jsonl
  /// RFC 4180, with a header row.
  case csv
  /// RFC 7946, one feature per row.
  case geojson
  /// The text format of Prometheus; of `status` alone.
  case prometheus

  /// Those that all rows have.
  static let ofRows = allCases.filter { $0 != .prometheus }

  /// Whether errors and notes are JSON objects as well.
  var isJSON: Bool { self == .json || self == .jsonl || self == .geojson }

  /// Whether there is a place for what concerns all rows together.
  var hasHead: Bool { self == .json || self == .geojson }
}

/// When output is emphasized.
package enum ColourChoice: String, CaseIterable, Sendable {
  /// On a terminal that can, unless the environment says otherwise.
  case auto
  case always
  case never

  /// The decision for one stream: the option, then a non-empty `NO_COLOR`, then `CLICOLOR_FORCE`, then whether it is a
  /// terminal and `TERM` is not `dumb`.
  package func applies(toTerminal isTerminal: @autoclosure () -> Bool, environment: (String) -> String?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let value = environment("NO_COLOR"), !value.isEmpty { return false }
    if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isTerminal() && environment("TERM") != "dumb"
  }
}
