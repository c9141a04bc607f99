/// The opened content of a resident file of one kind.
package protocol ResidentContent: AnyObject, Sendable {
  /// The kind of the file; raise the row version with any change to its sections.
  static var kind: ResidentKind { get }
  /// Reads the sections of an open file.
  ///
  /// - Throws: ``ResidentError`` with what was expected and found, and what to do.
  init(file: ResidentFile) throws(ResidentError)
  /// The file.
  var file: ResidentFile { get }
  /// The number of records.
  var count: Int { get }
  /// Checks that the entries at `steps` cannot corrupt a reply.
  func prove(_ steps: Range<Int>) throws(ResidentError)
  /// Checks that the file is the one that the importer would build from its records.
  func verify() throws(ResidentError)
}

extension ResidentContent {
  /// Opens the file at `path`.
  ///
  /// - Throws: ``ResidentError`` with what was expected and found, and what to do.
  package init(path: String, verify: ResidentFile.Verification = .all) throws(ResidentError) {
    try self.init(file: ResidentFile(path: path, kind: Self.kind, verify: verify))
  }

  /// The hash of the file's content.
  package var generation: Generation { file.generation }
}
