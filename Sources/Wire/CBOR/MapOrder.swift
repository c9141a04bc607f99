/// Where one pair of a map stands in a byte buffer; it reaches to the next pair's key.
struct MapEntry {
  /// Offset of the key's first byte.
  var key: Int
  /// Offset of the value's first byte, which ends the key.
  var value: Int
}

/// Puts the pairs of an encoded map into the order of RFC 8949 §4.2.1: bytewise by the keys' encodings.
@usableFromInline
enum MapOrder {
  /// Orders `entries`, which are adjacent and end what `writer` holds.
  ///
  /// - Returns: the offset of a key that occurs twice, nil if there is none.
  /// - Complexity: O(*n*) if they are in order already, as a careful writer's are, else O(*n* log *n*).
  static func arrange(_ writer: inout CBORWriter, _ entries: ArraySlice<MapEntry>) -> Int? {
    guard let first = entries.first else { return nil }
    if writer.withUnsafeBytes({ isAscending($0, entries) }) { return nil }
    let bytes = writer.bytes
    let end = bytes.count
    let ends = entries.dropFirst().map(\.key) + [end]
    let sorted = bytes.withUnsafeBytes { all in
      zip(entries, ends).sorted { precedes(key($0.0, in: all), key($1.0, in: all)) }
    }
    let twin = bytes.withUnsafeBytes { all in
      zip(sorted, sorted.dropFirst()).first { !precedes(key($0.0, in: all), key($1.0, in: all)) }
    }
    if let twin { return max(twin.0.0.key, twin.1.0.key) }
    writer.truncate(to: first.key)
    bytes.withUnsafeBytes { all in
      for (entry, entryEnd) in sorted {
        writer.writeEncoded(UnsafeRawBufferPointer(rebasing: all[entry.key..<entryEnd]))
      }
    }
    return nil
  }

  private static func isAscending(_ bytes: UnsafeRawBufferPointer, _ entries: ArraySlice<MapEntry>) -> Bool {
    var index = entries.startIndex + 1
    while index < entries.endIndex {
      guard precedes(key(entries[index - 1], in: bytes), key(entries[index], in: bytes)) else { return false }
      index += 1
    }
    return true
  }

  private static func key(_ entry: MapEntry, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[entry.key..<entry.value])
  }

  /// Whether `left` stands strictly before `right`, compared byte by byte.
  @inlinable @inline(__always)
  static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let shared = min(left.count, right.count)
    var index = 0
    while index < shared {
      if left[index] != right[index] { return left[index] < right[index] }
      index += 1
    }
    return left.count < right.count
  }
}
