import CitiesProtocol
import Resident

/// One opened file that is served, or was until lately.
final class ServedGeneration<Data: ResidentData> {
  /// The data; keeps the file mapped.
  let data: Data
  /// Counts up with every file that is taken over, from 1.
  let serial: UInt64
  /// The generation, 16 hexadecimal digits.
  let name: String
  /// The same in ASCII.
  let digits: SIMD16<UInt8>
  /// Where it was opened.
  let path: String
  /// Its place among the paths that are searched.
  let place: Int
  /// Which file stood at the path when it was taken over, or when its content was last found to be the same.
  var identity: FileIdentity
  /// The state of the opened file in which its content is known to be the one that was opened.
  var state: FileIdentity
  /// Whether the file is leased, so that it cannot change.
  ///
  /// Until then each answer from it is checked before it is sent.
  var isCertain = false
  // Read once per request by the loop's thread alone.
  /// Whether all entries are valid: until then each row is checked when it is sent.
  @exclusivity(unchecked) private(set) var isProved = false
  /// Whether the file was taken out of service: answers from it may be wrong.
  var isWithdrawn = false
  /// Blocks whose checksums were compared, of those that were not when the file was opened.
  private var verified = 0
  /// Entries that are proved.
  private var proved = 0
  /// Blocks that are compared at a time: less than a millisecond of work.
  private static var verifiedSlice: Int { 32 }
  /// What answers from it, for the case that it turns out to be damaged.
  unowned let subject: ResidentSubject<Data>

  init(_ data: Data, serial: UInt64, path: String, place: Int, of subject: ResidentSubject<Data>) {
    self.data = data
    self.subject = subject
    self.serial = serial
    name = "\(data.generation)"
    digits = SIMD16(name.utf8)
    self.path = path
    self.place = place
    identity = data.file.identity
    state = data.file.identity
  }

  /// Compares the checksums of the next blocks, or proves the next entries once all are compared.
  ///
  /// - Throws: ``ResidentError`` with the first entry that could spoil a reply.
  /// - Complexity: O(``ResidentData/proofSlice``).
  func proveSlice() throws(ResidentError) {
    guard verified >= data.file.unverifiedBlocks else {
      data.file.verify(verified..<(verified + Self.verifiedSlice))
      verified += Self.verifiedSlice
      return
    }
    let end = min(proved + Data.proofSlice, data.proofSteps)
    try data.prove(proved..<max(proved, end))
    proved = end
    isProved = end >= data.proofSteps
  }

  /// Checks that what was read from the file in several slices may be sent.
  ///
  /// - Throws: `unavailable` if the file was changed or shortened meanwhile.
  func requireInService() throws(WireError) {
    guard isWithdrawn || data.file.hasFaulted || subject.changeInPlace(of: self) != nil else { return }
    throw .dataChanged(Data.subject)
  }

  /// Why this file is in service although a better place has one; nil if it is the best place's, or that has none.
  var fallback: String? { place == 0 ? nil : subject.problem }

  /// Takes the file out of service because of `problem`, which was found while a request was answered.
  ///
  /// - Returns: what that request is answered with.
  func damaged(_ problem: String) -> WireError { subject.withdraw(self, .contents(problem)) }

  /// Whether `other`, from a request, names this generation.
  func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
    other.count == digits.scalarCount && other.loadUnaligned(as: SIMD16<UInt8>.self) == digits
  }
}

extension WireError {
  /// `unavailable` for a request that has read from a file of `subject` that is out of service now.
  static func dataChanged(_ subject: Subject, phase: String = "withdrawn") -> WireError {
    WireError(
      .unavailable, "\(subject.rawValue): the data changed during the request; send it again",
      data: ErrorData(subject: subject, phase: phase))
  }
}
