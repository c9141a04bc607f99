import CBOR
import CitiesProtocol
import Folders
import Glibc
import Resident
import System

/// Work on a feed's data for a child process, `citiesd-sync import FEED`: foreign data is parsed nowhere else.
///
/// Parent and child share two files in memory, the child's standard input and output. The first one holds the job, then
/// the progress, and the answer at last; the second one the body that the source has sent.
package struct ImportJob: Codable, Sendable {
  /// What to do.
  enum Work: Int, Codable { case update, restore, forget }

  /// The answer of the child.
  struct Answer: Codable {
    /// The result of an update.
    var result: FeedResult?
    /// Why it failed; the last good data stays.
    var error: FeedError?
    /// What the source must be asked first.
    var request: FetchRequest?
  }

  /// Most bytes of private memory: a city list of 512 MiB needs most of them.
  static let memory: UInt64 = 1_920 << 20

  let work: Work
  let feed: FeedName
  let state: String
  let samples: String?
  let configuration: SyncConfiguration
  let attempt: AttemptOptions
  /// What the source was asked.
  let request: FetchRequest?
  /// The validators that it has sent.
  let validators: SourceValidators
  /// Whether it has sent a body; otherwise the stored copy is still current.
  let hasBody: Bool
  var parent = getpid()
  var startingUser = FolderOwner.startingUser

  /// Performs the job in standard input, as a child process.
  ///
  /// - Throws: ``FeedError`` if there is no job.
  package static func perform() throws(FeedError) {
    let file = JobFile(file: Descriptor(taking: STDIN_FILENO))
    guard let job: ImportJob = file.read() else {
      throw FeedError(.usage, "import is run by citiesd-sync itself; use citiesd-sync run")
    }
    try FeedError.converting { () throws(SystemError) in try ProcessSettings.confine(to: job.parent, memory: memory) }
    FolderOwner.inherit(job.startingUser)
    // Without it, a list of cities is verified as a whole.
    try? MappingFaults.install()
    try file.write(job.answer { try? file.write($0) })
  }

  private func answer(_ progress: @escaping ProgressReport) -> Answer {
    let source = DeliveredSource(self)
    let state = StateFolder(path: state)
    let feeds = FeedRegistry.feeds(
      of: FeedRegistry.importers(configuration, state: state), configuration, state: state, samples: samples,
      fetcher: source)
    do throws(FeedError) {
      guard let feed = feeds.first(where: { $0.name == feed }) else { throw FeedError(.unavailable, "no such feed") }
      var attempt = attempt
      attempt.progress = progress
      switch work {
      case .update: return Answer(result: try feed.update(attempt))
      case .restore: try feed.restore(force: attempt.isForced)
      case .forget: try feed.forget()
      }
      return Answer()
    } catch {
      return Answer(error: error, request: source.asked)
    }
  }
}

/// The source that the parent process has contacted; any other request ends the child.
///
/// `Sendable` because an import is the work of one thread.
private final class DeliveredSource: SourceFetcher, @unchecked Sendable {
  private let job: ImportJob
  /// The request that the parent has to make.
  private(set) var asked: FetchRequest?

  init(_ job: ImportJob) { self.job = job }

  func fetch(_ request: FetchRequest, _ attempt: AttemptOptions) throws(FeedError) -> FetchReply {
    guard job.request == request else {
      asked = request
      throw FeedError(.cancelled, "the source is contacted first")
    }
    guard job.hasBody else { return .notModified(job.validators) }
    lseek(STDOUT_FILENO, 0, SEEK_SET)
    let body = Descriptor(taking: STDOUT_FILENO)
    return .body(try SourceFile(body, path: "the body of the source").bytes, job.validators)
  }
}

/// A file in memory that holds one value, which another process may replace.
struct JobFile: Sendable {
  /// Most bytes of a value.
  private static let maximum: Int = 16 << 20

  let file: Descriptor

  /// Replaces the value.
  func write(_ value: some Encodable) throws(FeedError) {
    guard let bytes = try? CBOREncoder().encode(value) else { preconditionFailure("the encoder takes every value") }
    var offset = 0
    guard ftruncate(file.number, 0) == 0 else { throw FeedError(SystemError("write", "the job of an import")) }
    while offset < bytes.count {
      // A limit on the size of files cuts the first write, and fails the second one.
      let count = bytes[offset...].withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(offset)) }
      guard count > 0 else { throw FeedError(SystemError("write", "the job of an import")) }
      offset += count
    }
  }

  /// The value; `nil` if there is none of this type.
  func read<Value: Decodable>() -> Value? {
    var bytes = [UInt8](repeating: 0, count: min(max(0, lseek(file.number, 0, SEEK_END)), Self.maximum))
    guard pread(file.number, &bytes, bytes.count, 0) == bytes.count else { return nil }
    return try? CBORDecoder().decode(Value.self, from: bytes)
  }
}
