package import CitiesProtocol

/// A feed that takes one of the made-up samples, so that a newcomer has something to ask for: `run --samples`.
///
/// A sample never takes the place of real data unless that is forced; real data takes a sample's place by itself.
package struct SampleFeed: Feed {
  /// The sample's path.
  package let source: String?
  /// Seconds until the real source is asked.
  package let interval: Int64
  private let path: String
  private let intake: FeedIntake

  /// Takes the sample at `path`.
  package init(path: String, interval: Int64, intake: FeedIntake) {
    source = path
    self.path = path
    self.interval = interval
    self.intake = intake
  }

  /// Its name.
  package var name: FeedName { intake.name }

  /// Stores the sample unless real data is there.
  package func update(_ attempt: FeedAttempt) throws(FeedError) -> FeedResult {
    try intake.checkSettings()
    var remarks: [String] = []
    let stored = try intake.copy(&remarks)
    var result: FeedResult
    if let stored, !stored.details.sample, !attempt.isForced {
      remarks.append("feed \(name.rawValue) has real data, which stays; --force puts the sample in its place")
      result = FeedResult(.reused, stored)
    } else {
      let file = try SourceFile(path: path, regularOnly: true)
      result = try intake.take(file.bytes, from: path, isSample: true, as: .imported, instead: stored)
    }
    try intake.assemble(attempt)
    result.remarks = remarks + result.remarks
    return result
  }
}
