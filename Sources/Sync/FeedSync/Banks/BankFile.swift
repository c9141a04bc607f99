import Banks

/// An upstream format of locations: one conforming type, one file each.
protocol BankFile: Sendable {
  /// The key of the list in the file's object; `nil` if the list is the file.
  var listKey: String? { get }

  /// The records of a file in their order, good and bad ones.
  ///
  /// - Throws: ``FeedError`` or ``RecordProblem`` if it is no such file at all.
  /// - Complexity: O(count of `bytes`).
  func records(in bytes: [UInt8], of place: BankPlace) throws -> [BankRecord]
}

/// What a feed's configuration tells of its locations: a file names neither bank nor country nor time zone.
struct BankPlace: Equatable, Sendable {
  /// The bank as ids and filters name it, which is the feed's name.
  var bank: String
  /// The country's code.
  var country: String
  /// The time zone of the hours.
  var zone: String
}

/// What one record says.
struct BankRecord {
  /// The location, or why there is none.
  let result: Result<BankLocation, RecordProblem>
  /// What is odd about a record that is kept.
  let remarks: [String]

  /// Takes what was read, and asks a good record for its remarks and its location.
  init<Record>(
    _ read: Result<Record, RecordProblem>, remarks: (Record) -> [String], location: (Record) -> BankLocation
  ) {
    result = read.map(location)
    self.remarks = (try? read.get()).map(remarks) ?? []
  }
}
