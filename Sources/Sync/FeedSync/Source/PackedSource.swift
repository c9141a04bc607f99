/// The text of a source: plain bytes, unpacked gzip, or the list in a zip archive.
struct PackedSource {
  private enum Form {
    case plain
    case gzip
    case zip(ZipArchive, ZipArchive.Member)
  }

  private let bytes: [UInt8]
  private let form: Form

  /// Takes `bytes`, which messages call `name`.
  ///
  /// - Throws: ``PackingError`` if they are an archive without a readable list.
  init(_ bytes: [UInt8], name: String) throws(PackingError) {
    self.bytes = bytes
    if Gzip.isPacked(bytes) {
      form = .gzip
    } else if ZipArchive.isArchive(bytes) {
      let archive = try ZipArchive(bytes)
      form = .zip(archive, try Self.list(in: archive, name: name))
    } else {
      form = .plain
    }
  }

  /// Bytes at the start of a text that show its format.
  private static let headBytes = 16 << 10

  /// The start of the text, as far as it is sound.
  var head: [UInt8] {
    var head: [UInt8] = []
    try? forEachPiece(limit: .max) { (piece, _) throws(PackingError) in
      head += piece.prefix(Self.headBytes - head.count)
      if head.count == Self.headBytes { throw .tooLarge("no more is needed") }
    }
    return head
  }

  /// The whole text.
  ///
  /// - Throws: ``PackingError``, also above `limit` bytes, which is checked while unpacking.
  func unpack(limit: Int) throws(PackingError) -> [UInt8] {
    if case .plain = form { return bytes }
    var text: [UInt8] = []
    try forEachPiece(limit: limit) { piece, _ in text.append(contentsOf: piece) }
    return text
  }

  /// Passes on the text piece by piece, each with the fraction of the source done.
  ///
  /// If it throws, discard the earlier pieces.
  ///
  /// - Throws: ``PackingError``, also above `limit` bytes, and any error of `body`.
  /// - Complexity: O(bytes packed and unpacked), in memory a piece.
  func forEachPiece(
    limit: Int, _ body: (UnsafeRawBufferPointer, Double) throws(PackingError) -> Void
  ) throws(PackingError) {
    switch form {
    case .plain:
      try bytes.withBytes { (bytes) throws(PackingError) in
        for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
          let end = min(start + Self.pieceBytes, bytes.count)
          try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), Double(end) / Double(bytes.count))
        }
      }
    case .gzip: try Gzip.forEachPiece(of: bytes, limit: limit, body)
    case .zip(let archive, let member): try archive.forEachPiece(of: member, limit: limit, body)
    }
  }

  /// Bytes per piece of an unpacked source.
  private static let pieceBytes = 1 << 20

  /// The list in an archive: the only member besides `readme.txt`, else the one named like the archive.
  private static func list(in archive: ZipArchive, name: String) throws(PackingError) -> ZipArchive.Member {
    let members = archive.members.filter { $0.name.lowercased() != "readme.txt" }
    if members.count == 1 { return members[0] }
    let archiveName = stem(of: name)
    let namesakes = members.filter { stem(of: $0.name) == archiveName }
    if namesakes.count == 1 { return namesakes[0] }
    let problem = members.isEmpty ? "there is no list in it" : "it has \(members.count) files and none is named like it"
    throw .unsupported("\(problem); one list is expected, such as EE.txt in EE.zip")
  }

  /// The name of a file without folders and extension.
  private static func stem(of path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    return String(file.prefix { !$0.is(".") }).lowercased()
  }
}

extension [UInt8] {
  /// The result of `body`, which may throw any error, for the bytes.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes { bytes in Swift.Result { () throws(Failure) in try body(bytes) } }.get()
  }

  /// The little-endian number at `offset`.
  func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
    withUnsafeBytes { $0.load(littleEndian: type, at: offset) }
  }
}
