import Cities

/// An index together with the memory that it borrows; the row of a city is its id as text and a blank.
final class BuiltIndex: Sendable {
  let index: CityIndex
  private nonisolated(unsafe) let memory: [CitySection: UnsafeMutableRawBufferPointer]

  convenience init(_ cities: [City]) throws { try self.init(sections: Self.sections(cities)) }

  init(sections: [CitySection: [UInt8]]) throws {
    let memory = sections.mapValues { bytes in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
      copy.copyBytes(from: bytes)
      return copy
    }
    self.memory = memory
    do {
      index = try CityIndex { memory[$0].map { UnsafeRawBufferPointer($0) } }
    } catch {
      for copy in memory.values { copy.deallocate() }
      throw error
    }
  }

  deinit { for copy in memory.values { copy.deallocate() } }

  static func sections(_ cities: [City]) throws -> [CitySection: [UInt8]] {
    var builder = CityIndexBuilder()
    for city in cities { _ = try builder.add(city) }
    return try builder.build { Array("\($0.id) ".utf8) }
  }
}

extension CityIndex {
  /// The ids of the rows of a page, read from the rows' bytes.
  func ids(_ matches: CityMatches, offset: Int = 0, limit: Int = .max) -> [UInt64] {
    var bytes: [UInt8] = []
    withRows(matches, offset: offset, limit: limit) { bytes += $0 }
    return ids(in: bytes)
  }

  func idsByPopulation(_ matches: inout CityMatches, offset: Int = 0, limit: Int = .max) -> [UInt64] {
    var bytes: [UInt8] = []
    withRowsByPopulation(&matches, offset: offset, limit: limit) { bytes += $0 }
    return ids(in: bytes)
  }

  func slices(_ matches: CityMatches, offset: Int = 0, limit: Int = .max) -> Int {
    var slices = 0
    withRows(matches, offset: offset, limit: limit) { _ in slices += 1 }
    return slices
  }

  func search(_ query: [UInt8], _ mode: CityMatchMode = .plain, country: String? = nil, into matches: inout CityMatches)
  {
    query.withUnsafeBytes { query in
      guard let country else { return search(query, mode: mode, into: &matches) }
      Array(country.utf8).withUnsafeBytes { search(query, mode: mode, country: $0, into: &matches) }
    }
  }

  func search(_ query: [UInt8], _ mode: CityMatchMode = .plain, country: String? = nil) -> CityMatches {
    var matches = CityMatches()
    search(query, mode, country: country, into: &matches)
    return matches
  }

  private func ids(in bytes: [UInt8]) -> [UInt64] {
    bytes.split(separator: UInt8(ascii: " ")).map { UInt64(String(decoding: $0, as: UTF8.self)) ?? 0 }
  }
}
