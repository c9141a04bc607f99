import CitiesProtocol

/// A subject, as far as handlers that do not ask it anything are concerned.
protocol SubjectState: AnyObject {
  /// Its name.
  var subject: Subject { get }
  /// The name of its file.
  var fileName: String { get }
  /// Whether it has data.
  var isReady: Bool { get }
  /// The generation served, 16 hexadecimal digits.
  var generation: String? { get }
  /// What `status` tells.
  var status: Status.SubjectStatus { get }
  /// One line for the log and the service manager.
  var summary: String { get }

  /// Looks for data before anything is served; blocks.
  func loadNow()
  /// Takes files out of service that were changed where they stand.
  @discardableResult
  func inspect() -> Bool
  /// Looks for a new file, opens it on a worker thread, and calls `done` on the loop's.
  func check(done: @escaping () -> Void)
}

/// What a subject tells of its files.
enum SubjectNews {
  /// New data is served.
  case changed
  /// A new file was refused, for this reason.
  case refused(String)
  /// The served file was taken out of service, for this reason.
  case withdrawn(String)
}
