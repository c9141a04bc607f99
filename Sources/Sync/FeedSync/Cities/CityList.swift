import Cities
import FoundationEssentials

/// The city list as it comes from outside: a JSON array of ``CityRecord``, plain or packed with gzip.
struct CityList {
  /// Reads the whole list.
  ///
  /// Bad records are noted and skipped. A source that is no JSON array, or no sound gzip, is refused whole.
  ///
  /// - Throws: ``FeedError`` with the reason ``FeedError/Reason/badData``.
  static func read(_ source: SourceFile, name: String, progress: @escaping (Double) -> Void) throws(FeedError)
    -> CityCollector
  {
    let collector = CityCollector(source: name, progress: progress)
    let decoder = JSONDecoder()
    decoder.userInfo[.collector] = collector
    do {
      let json = try unpacked(source.bytes)
      try json.requireJSON(.array, of: "cities")
      collector.invalidText = InvalidText(json)
      _ = try json.decoded(Records.self, by: decoder)
      return collector
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was taken from it")
    }
  }

  /// Walks the array; elements go to the collector of the decoder's `userInfo`.
  private struct Records: Decodable {
    init(from decoder: any Decoder) throws {
      var elements = try decoder.unkeyedContainer()
      guard let collector = decoder.userInfo[.collector] as? CityCollector else { return }
      while !elements.isAtEnd {
        collector.take(try elements.decode(CityRecord.self), of: elements.count ?? 0)
      }
    }
  }

  private static func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
    Gzip.isPacked(bytes) ? try Gzip.unpack(bytes, limit: SourceFile.maximumBytes) : bytes
  }
}

extension CodingUserInfoKey {
  /// Where ``CityCollector`` is handed down.
  fileprivate static var collector: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "collector") else { preconditionFailure("every text is a key") }
    return key
  }
}
