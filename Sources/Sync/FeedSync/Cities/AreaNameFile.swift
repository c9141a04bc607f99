package import Cities
import Glibc
import Synchronization
import Text

/// The names of countries, regions and counties, from the installed `names.json.gz`.
///
/// ```json
/// {"countries": {"EE": ["Estonia", "EST", "Eesti"]}, "regions": {"EE.01": ["Harjumaa", "Harju maakond"]},
///  "counties": {"IT.16.SI": ["Siena", "Provincia di Siena"]}}
/// ```
///
/// The first name of a code is the one to show. Without the file, areas are found by their codes and by the names in
/// the city list. The file is read once per object, so ``identity`` always describes the bytes that ``names()`` reads.
package final class AreaNameFile: Sendable {
  /// The path below an installation prefix.
  package static let installedName = "share/cities/names.json.gz"
  /// Most bytes in the file, packed or unpacked; the shipped file has 3 MB.
  package static let maximumBytes = 64 << 20
  /// Most countries, regions or counties; the world has 250, 4,000 and 33,000.
  package static let maximumAreas = 100_000
  /// Most names per area; the shipped file has up to 400.
  package static let maximumNames = 4_096
  /// Bytes of a key: three codes and two full stops.
  private static let maximumKeyBytes = 3 * CityRule.maximumLabelBytes + 2

  private let path: String?
  private let file = Mutex<Result<SourceFile, FeedError>?>(nil)

  /// The file at `path`; without one there are no names.
  package init(path: String?) { self.path = path }

  /// The installed file, if any: `../share/cities/names.json.gz` from the program's folder, else below /usr/local or
  /// /usr.
  package static func installed(program: String = "/proc/self/exe") -> AreaNameFile {
    // A file that exists but is unreadable must be an error, not an index without names.
    AreaNameFile(
      path: InstalledFiles.places(of: installedName, program: program).first {
        access($0, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR
      })
  }

  /// The inputs of an index: empty without a file, else the length and digest of its bytes.
  package var identity: [String] {
    guard let path else { return [] }
    guard case .success(let file) = source(path) else { return ["names", "unreadable"] }
    return ["names", "\(file.bytes.count)", String(file.digest, radix: 16)]
  }

  /// The names, in NFC.
  ///
  /// - Throws: ``FeedError`` with the path if the file cannot be read or is in another format.
  /// - Complexity: O(n) in the bytes of the file.
  package func names() throws(FeedError) -> AreaNames {
    guard let path else { return AreaNames() }
    let bytes = try source(path).get().bytes
    do {
      let json = Gzip.isPacked(bytes) ? try Gzip.unpack(bytes, limit: Self.maximumBytes) : bytes
      try json.requireJSON(.object, of: "names")
      return try Self.names(in: json)
    } catch {
      throw FeedError(.badData, "\(path): \(error); the names of areas are read from it")
    }
  }

  private func source(_ path: String) -> Result<SourceFile, FeedError> {
    file.withLock { file in
      if let file { return file }
      let new = Result { () throws(FeedError) in
        try SourceFile(path: path, regularOnly: true, limit: Self.maximumBytes)
      }
      file = new
      return new
    }
  }

  private static func names(in json: [UInt8]) throws(FeedError) -> AreaNames {
    var names = AreaNames()
    let parts: [(key: StaticString, WritableKeyPath<AreaNames, [TextKey: [String]]>)] = [
      ("countries", \.countries), ("regions", \.regions), ("counties", \.counties),
    ]
    let folder = CaseFolder()
    try SourceJSON.read(json) { (scanner) throws(JSONFault) in
      try scanner.readObject { (scanner, key) throws(JSONFault) in
        guard let (_, part) = parts.first(where: { key == $0.key }) else { return try scanner.skipValue() }
        names[keyPath: part] = try table(&scanner, folder)
      }
    }
    return names
  }

  /// Reads codes with their names.
  private static func table(
    _ scanner: inout JSONScanner, _ folder: CaseFolder
  ) throws(JSONFault) -> [TextKey: [String]] {
    var table: [TextKey: [String]] = [:]
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      let code = key.text
      guard code.utf8.count <= maximumKeyBytes, table.count < maximumAreas else {
        throw scanner.fault("a key of more than \(maximumKeyBytes) bytes, or more than \(maximumAreas) keys")
      }
      var names: [String] = []
      try scanner.readArray { (scanner) throws(JSONFault) in
        names.append(try name(&scanner, folder))
        guard names.count <= maximumNames else { throw scanner.fault("more than \(maximumNames) names of \(code)") }
      }
      if table[code] == nil, !names.isEmpty { table[code] = names }
    }
    return table
  }

  private static func name(_ scanner: inout JSONScanner, _ folder: CaseFolder) throws(JSONFault) -> String {
    let text = try scanner.readString()
    guard text.invalidOffset == nil else { throw scanner.fault("a name is not UTF-8") }
    let written = text.text
    let problem = CityRule.problem(with: written, as: .region)
    let name = problem == nil ? folder.composed(written) : written
    if let problem = problem ?? CityRule.problem(with: name, as: .region) { throw scanner.fault("\(problem)") }
    guard !name.isEmpty else { throw scanner.fault("a name is empty") }
    return name
  }
}
