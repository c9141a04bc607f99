/// What a resident file of one kind holds, opened.
package protocol ResidentContent: AnyObject, Sendable {
  /// The kind of the file; raise the row version with any change to its sections.
  static var kind: ResidentKind { get }
  /// Takes the sections of a file that was opened.
  ///
  /// - Throws: ``ResidentError`` with what was expected and found, and what to do.
  init(file: ResidentFile) throws(ResidentError)
  /// The file.
  var file: ResidentFile { get }
  /// Its records.
  var count: Int { get }
  /// Proves that the entries at `steps` cannot spoil a reply.
  func prove(_ steps: Range<Int>) throws(ResidentError)
  /// Proves the file to be what the importer makes of its records.
  func verify() throws(ResidentError)
}

extension ResidentContent {
  /// Opens the file at `path`.
  ///
  /// - Throws: ``ResidentError`` with what was expected and found, and what to do.
  package init(path: String, verify: ResidentFile.Verification = .automatic) throws(ResidentError) {
    try self.init(file: ResidentFile(path: path, kind: Self.kind, verify: verify))
  }

  /// What the file holds, as 64 bits.
  package var generation: Generation { file.generation }
}
