import FoundationEssentials

extension [UInt8] {
  /// JSON text without the byte-order mark (U+FEFF in UTF-8) that some programs put in front of it.
  var withoutByteOrderMark: ArraySlice<UInt8> { dropFirst(starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0) }

  /// Decodes JSON text without copying it.
  ///
  /// - Throws: ``FeedError`` with the place where the text is no JSON, or what `type` throws.
  func decoded<Value: Decodable>(_ type: Value.Type, by decoder: JSONDecoder) throws -> Value {
    let text = withoutByteOrderMark
    do {
      return try text.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return try decoder.decode(type, from: Data()) }
        // The decoder keeps nothing of the text when it returns.
        let data = Data(
          bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
        return try decoder.decode(type, from: data)
      }
    } catch {
      guard let fault = JSONFault(in: text) else { throw error }
      throw FeedError(.badData, "the JSON is broken \(fault)")
    }
  }
}
