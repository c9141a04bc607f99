import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident

/// Rows of a generation that is not proved yet: each is checked when it is sent.
extension ServedGeneration<ResidentCities> {
  /// Writes the row of the city at `rank`.
  ///
  /// - Throws: `unavailable` if the row is none; the file is out of service then.
  func writeRow(_ rank: Int, into reply: inout CBORWriter) throws(WireError) {
    let row = data.index.row(at: rank)
    try check(row, rank)
    reply.writeEncoded(row)
  }

  /// Checks the row of the city at `rank`, unless the file is proved.
  ///
  /// - Throws: `unavailable` if it is not a row; the file is out of service then.
  @inline(__always)
  func check(_ row: UnsafeRawBufferPointer, _ rank: Int) throws(WireError) {
    if !isProved, let problem = ResidentCities.problem(ofRows: row, count: 1) {
      throw damaged("section ROWS, rank \(rank): \(problem)")
    }
  }

  /// Writes the `count` rows that `rows` hands out, and checks what `matches` have in common, which is written later.
  ///
  /// - Throws: `unavailable` if the rows are not as many, or not rows; the file is out of service then.
  func writeCheckedRows(
    _ matches: inout CityMatches, count: Int, into reply: inout CBORWriter,
    _ rows: (inout CityMatches, _ append: (UnsafeRawBufferPointer) -> Void) -> Void
  ) throws(WireError) {
    var checked = CheckedRows(room: subject.replyBytes)
    let start = reply.count
    rows(&matches) { if checked.hasRoom(for: $0) { reply.writeEncoded($0) } }
    let problem = reply.withUnsafeBytes { bytes in
      checked.isComplete
        ? ResidentCities.problem(ofRows: UnsafeRawBufferPointer(rebasing: bytes[start...]), count: count)
        : "\(count) rows are larger than a reply"
    }
    if let problem { throw damaged("section ROWS: \(problem)") }
    guard matches.withCommon({ String(validating: $0, as: UTF8.self) }) != nil else {
      throw damaged("section KEYS: a key is not text")
    }
  }
}

/// How much of a reply is left for rows with unchecked offsets: each of them may cover the whole file.
private struct CheckedRows {
  private var room: Int
  private(set) var isComplete = true

  init(room: Int) { self.room = room }

  /// Takes the bytes of `slice` from what is left; once something does not fit, nothing does.
  mutating func hasRoom(for slice: UnsafeRawBufferPointer) -> Bool {
    isComplete = isComplete && slice.count <= room
    if isComplete { room -= slice.count }
    return isComplete
  }
}
