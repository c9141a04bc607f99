import CBOR
import Cities
import CitiesProtocol
import Resident

/// Rows of a generation that is not completely verified: each is checked when it is sent.
extension ServedGeneration<ResidentCities> {
  /// Writes the row of the city at `rank`.
  ///
  /// - Throws: `unavailable` if the row is malformed; the file is then out of service.
  func writeRow(_ rank: Int, into reply: inout CBORWriter) throws(WireError) {
    let row = data.index.row(at: rank)
    try check(row, rank)
    reply.writeEncoded(row)
  }

  /// Checks the row of the city at `rank`, unless the file is completely verified.
  ///
  /// - Throws: `unavailable` if it is malformed; the file is then out of service.
  @inline(__always)
  func check(_ row: UnsafeRawBufferPointer, _ rank: Int) throws(WireError) {
    if !isProved, let problem = ResidentCities.problem(ofRows: row, count: 1) {
      throw damaged("section ROWS, rank \(rank): \(problem)")
    }
  }
}
