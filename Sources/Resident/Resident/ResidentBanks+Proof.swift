import Banks
import CBOR
import CitiesProtocol

extension ResidentBanks {
  /// Bytes of the longest row that is served; real ones have a few hundred.
  package static let maximumRowBytes = 64 << 10

  /// Proves that the rows at `ranks` are rows, so that no reply can be spoilt by them.
  ///
  /// - Throws: ``ResidentError`` with the rank of the first that is none.
  /// - Complexity: O(k) in the bytes of the rows, about 10 µs per location.
  package func prove(_ ranks: Range<Int>) throws(ResidentError) {
    for rank in ranks {
      if let problem = Self.problem(ofRow: index.row(at: rank)) {
        throw file.error(.contents("section ROWS, rank \(rank): \(problem)"))
      }
    }
  }

  /// Why `bytes` are not one row; `nil` if they are.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func problem(ofRow bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count <= maximumRowBytes else {
      return "the row has \(bytes.count) bytes, more than \(maximumRowBytes)"
    }
    var reader = CBORReader(bytes)
    do {
      // Deterministic encoding first, which the decoder does not insist on.
      try reader.skip()
      try reader.finish()
      _ = try CBORDecoder().decode(BankRow.self, from: bytes)
      return nil
    } catch {
      return "the row is no encoded location: \(error)"
    }
  }
}
