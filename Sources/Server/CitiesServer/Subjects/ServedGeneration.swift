import CitiesProtocol
import FrameService
import Resident

/// An open file that is in use, or was until recently.
final class ServedGeneration<Data: ResidentData>: ReplySource {
  /// The data; keeps the file mapped.
  let data: Data
  /// The number of the file among those adopted, from 1.
  let serial: UInt64
  /// The generation, 16 hexadecimal digits.
  let name: String
  /// The same in ASCII.
  let digits: SIMD16<UInt8>
  let path: String
  /// Its index in the search path.
  let place: Int
  /// The identity of the file at the path when it was adopted, or when its content was last found to be the same.
  var identity: FileIdentity
  /// The last state of the open file in which its content was known to be unchanged.
  var state: FileIdentity
  /// Whether the file is leased, so that it cannot change.
  ///
  /// If not, each answer from it is checked before it is sent.
  var isCertain = false
  // Read once per request, and only by the loop thread.
  /// Whether all entries are valid: until then each row is checked when it is sent.
  @exclusivity(unchecked) private(set) var isProved = false
  /// Whether the file is out of service, so that answers from it may be wrong.
  var isWithdrawn = false
  /// The number of blocks verified, of those left unverified at opening.
  private var verified = 0
  /// The number of entries verified.
  private var proved = 0
  /// The number of blocks to verify at a time: less than a millisecond of work.
  private static var verifiedSlice: Int { 32 }
  /// Withdraws the generation if it turns out to be corrupt.
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

  /// Verifies the checksums of the next blocks, or the next entries once all blocks are verified.
  ///
  /// - Throws: ``ResidentError`` with the first entry that could corrupt a reply.
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

  /// Checks that data read from the file in several slices may be sent.
  ///
  /// - Throws: `unavailable` if the file was changed or truncated in the meantime.
  func requireInService() throws(WireError) {
    guard isWithdrawn || data.file.hasFaulted || subject.changeInPlace(of: self) != nil else { return }
    throw .dataChanged(Data.subject)
  }

  /// The reason why this file is in use although a better place has one; `nil` if no better place has one.
  var fallback: String? { place == 0 ? nil : subject.problem }

  /// Takes the file out of service because of `problem`, which a request has found.
  ///
  /// - Returns: The reply to that request.
  func damaged(_ problem: String) -> WireError { subject.withdraw(self, .contents(problem)) }

  /// Whether `other`, from a request, names this generation.
  func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
    other.count == digits.scalarCount && other.loadUnaligned(as: SIMD16<UInt8>.self) == digits
  }
}

extension WireError {
  /// `unavailable` for a request that has read from a file of `subject` that has gone out of service.
  static func dataChanged(_ subject: Subject, phase: String = "withdrawn") -> WireError {
    WireError(
      .unavailable, "\(subject.rawValue): the data changed during the request; send it again",
      data: ErrorData(subject: subject, phase: phase))
  }
}
