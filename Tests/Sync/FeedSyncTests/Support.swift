import CZlib
import CitiesProtocol
import FeedSync
import Glibc
import Resident
import Synchronization
import TestSupport

/// `bytes` as one gzip member.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  deflateInit2_(
    &stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 64))
  let count = output.count
  input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
      (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(count))
      _ = deflate(&stream, Z_FINISH)
    }
  }
  return Array(output.prefix(count - Int(stream.avail_out)))
}

/// A record of the city list, as JSON text.
func record(_ id: Int, _ name: String, country: String = "DE", lat: String = "1.5", lon: String = "2.5") -> String {
  "{\"country\":\"\(country)\",\"name\":\"\(name)\",\"_id\":\(id),\"coord\":{\"lon\":\(lon),\"lat\":\(lat)}}"
}

/// A list of records.
func list(_ records: String...) -> [UInt8] { Array("[\(records.joined(separator: ","))]".utf8) }

/// What came of importing `bytes`.
func imported(_ bytes: [UInt8], allowsEmpty: Bool = false) throws -> CityBuild {
  try CityBuild(SourceFile(bytes: bytes), name: "list", allowsEmpty: allowsEmpty)
}

/// The error that importing `bytes` ends in.
func refusal(_ bytes: [UInt8]) -> FeedError? {
  do {
    _ = try imported(bytes)
    return nil
  } catch {
    return error as? FeedError
  }
}

/// The reports, in order.
final class Seen: Sendable {
  private let moments = Mutex<[Progress]>([])
  var all: [Progress] { moments.withLock { $0 } }
  func add(_ progress: Progress) { moments.withLock { $0.append(progress) } }
}

/// A millisecond for other threads.
func shortPause() { usleep(1_000) }

extension FeedReport {
  /// The report with all counts where nothing was repeated or replaced.
  func counted() -> FeedReport {
    var report = self
    report.counts = RecordCounts(kept: records ?? 0, skipped: skipped ?? 0)
    return report
  }
}

extension FeedOutcome {
  /// The outcome with all counts where nothing was repeated or replaced.
  func counted() -> FeedOutcome {
    var outcome = self
    outcome.counts = RecordCounts(kept: records ?? 0, skipped: skipped ?? 0)
    return outcome
  }
}
