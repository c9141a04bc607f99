import Glibc
import TestSupport
import Testing

/// Text is compared as bytes (decision 23): a rule that a lint reads from the sources, also from conformances, and that
/// the object files of the debug build prove for what the compiler makes of them.
@Suite struct ComparisonTests {
  /// Modules without text of others, and programs, whose files import modules that export `Base`.
  private static let withoutExport: Set = [
    "ByteText", "Coroutines", "Geodesy", "Countries", "citiesctl", "citiesctl-helper", "citiesd", "citiesd-sync",
  ]

  /// The modules that other packages import.
  private static let libraries: Set = ["CitiesProtocol", "CitiesClient"]

  @Test func `other packages see none of the comparisons`() throws {
    for file in Repository.files(under: "Sources/Base/ByteText") {
      let text = try Repository.text(Repository.path(file))
      #expect(
        !text.contains("public "), "\(file): the libraries export this module, but nothing of it is their interface")
    }
  }

  @Test func `every module exports the comparisons of bytes to all its files`() throws {
    for folder in Modules.swiftFolders {
      let module = folder == "Protocol" ? "CitiesProtocol" : String(folder.split(separator: "/").last ?? "")
      let exports = try Repository.files(under: folder).filter { $0.hasSuffix(".swift") }
        .filter { file in
          let text = try Repository.text(Repository.path(file))
          // The libraries export no more than that to other packages.
          return text.contains("@_exported public import ByteText\n")
            || text.contains("@_exported public import Base\n") && !Self.libraries.contains(module)
        }
      #expect(
        (exports.count == 1) != Self.withoutExport.contains(module),
        "\(folder): one file says '@_exported public import Base', and ByteText in a library, so that == compares bytes in all"
      )
    }
  }

  @Test func `no file imports what its module has from the file that exports it`() throws {
    for folder in Modules.swiftFolders {
      let files = Repository.files(under: folder).filter { $0.hasSuffix(".swift") }
      let lines = try files.map { file in
        (file, try Repository.text(Repository.path(file)).split(separator: "\n").filter { $0.hasSuffix("import Base") })
      }
      guard lines.contains(where: { $0.1.contains("@_exported public import Base") }) else { continue }
      for (file, imports) in lines {
        #expect(imports.allSatisfy { $0.hasPrefix("@_exported ") }, "\(file): another file of the module exports Base")
      }
    }
  }

  @Test func `no source compares text by its canonical form`() throws {
    for file in Self.sources where !file.hasSuffix("ByteComparison.swift") && !file.hasSuffix("TextKey.swift") {
      let findings = CanonicalSource.findings(in: try Repository.text(Repository.path(file)), at: file)
      #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }
  }

  @Test(
    arguments: [
      ("enum Word: String, Codable { case a }", "init(from:)"),
      ("public enum Word: String, CaseIterable, Codable, Sendable {", "init(from:)"),
      ("struct Name: RawRepresentable, Hashable {\n  var rawValue: String\n", "conforms to OpenWord"),
      ("  private var seen: Set<String> = []", "TextKey"),
      ("  let table: [String: Int] = [:]", "TextKey"),
      ("  var entries: [[String]: Entry] = [:]", "TextKey"),
      ("  if known.first == \"help\" { return }", "is(_:)"),
      ("  while line.last != \" \" {}", "is(_:)"),
      ("  let key = Key.allKeys", "allKeys"),
      ("  if name.first?.isUppercase == true {}", "properties"),
    ])
  func `the lint finds a planted comparison`(source: String, advice: String) {
    let findings = CanonicalSource.findings(in: source + "\n", at: "Sources/Sync/FeedSync/Planted.swift")
    #expect(findings.count == 1 && findings.allSatisfy { $0.contains(advice) }, "\(findings)")
  }

  @Test(
    arguments: [
      "enum Word: String, Codable, ClosedWord { case a }", "enum Keys: String, CodingKey { case a }",
      "private enum CodingKeys: String, CodingKey {", "enum Kind: String { case a }",
      "struct Code: RawRepresentable, Hashable {\n  var rawValue: UInt32\n", "  let table: [TextKey: Int] = [:]",
      "  /// A `[String: Int]` in a comment.", "  if text.unicodeScalars.first == \"+\" { return }",
      "  let sign = scalar.properties.isUppercase", "  let path = path(environment: [String: String]())",
    ])
  func `the lint accepts what compares bytes`(source: String) {
    #expect(CanonicalSource.findings(in: source + "\n", at: "Sources/Sync/FeedSync/Planted.swift") == [])
  }

  // MARK: Object files

  /// The folder with the object files of this test's own build; `nil` if that has not compiled all modules, as in
  /// contrib/check.
  private static let objects: String? = {
    #if DEBUG
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { return nil }
      let program = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let folder = program.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      return Repository.isFolder("\(folder)/CitiesServer.build") ? folder : nil
    #else
      return nil
    #endif
  }()

  @Test(.enabled(if: objects != nil, "contrib/check does not compile all modules"))
  func `no compiled code compares text by its canonical form, except where that is harmless`() throws {
    let folder = try #require(Self.objects)
    for module in Modules.swiftFolders {
      let name = module == "Protocol" ? "CitiesProtocol" : String(module.split(separator: "/").last ?? "")
      let build = "\(folder)/\(name.replacing("-", with: "_")).build"
      let exceptions = CanonicalComparison.exceptions[name] ?? []
      for source in Repository.files(under: module) where source.hasSuffix(".swift") {
        let file = String(source.split(separator: "/").last?.dropLast(6) ?? "")
        let object = "\(build)/\(file).swift.o"
        guard Repository.exists(object) else { continue }
        let allowed = exceptions.first { $0.file == file }?.ways ?? []
        let found = try ObjectFile(Repository.bytes(object)).references.compactMap { reference in
          CanonicalComparison(reference).map { ($0, reference) }
        }
        for (way, reference) in found where !allowed.contains(way) {
          Issue.record("\(source): \(reference.function) refers to \(reference.symbol) (\(way)): compare bytes")
        }
        for way in allowed.subtracting(found.map(\.0)) {
          Issue.record("\(source) no longer needs its exception for \(way)")
        }
      }
    }
  }

  /// A type whose synthesized code the test below finds in this file's own object file.
  private struct Planted: Hashable {
    var keys: [String: Int]
  }

  private enum PlantedWord: String, Codable {
    case first
  }

  @Test(.enabled(if: objects != nil, "contrib/check does not compile all modules"))
  func `comparisons that are planted in this file are found in its object file`() throws {
    let text = Repository.root
    let compares = (text == "/", text < "/", text.hasPrefix("/"), text.first == "/", Set([text]).contains("/"))
    #expect(compares.2 && PlantedWord(rawValue: text) == nil && Planted(keys: [text: 1]) != Planted(keys: [:]))
    let path = "\(try #require(Self.objects))/ArchitectureTests.build/ComparisonTests.swift.o"
    let found = try ObjectFile(Repository.bytes(path)).references.compactMap(CanonicalComparison.init)
    for way in CanonicalComparison.allCases { #expect(found.contains(way), "\(way) was not found") }
  }

  private static let sources = ["Sources", "Protocol"].flatMap(Repository.files(under:)).filter {
    $0.hasSuffix(".swift")
  }
}

/// Comparisons by the canonical form, as far as the source of a file shows them.
enum CanonicalSource {
  /// A pattern in a line, and what to write instead.
  private static let patterns: [(pattern: String, ways: Set<CanonicalComparison>, advice: String)] = [
    (
      #"^ *(?:[a-z]+ )*enum \w+: String\b(?=.*\b(?:Codable|Decodable)\b)(?!.*ClosedWord)"#, [.rawValue],
      "add ClosedWord: the compiler's init(from:) compares canonical forms"
    ),
    (
      #"\bSet<(?:String|Substring|Character)>|\[(?:String|Substring|Character|\[String\]) ?:(?! *\])"#,
      [.hash, .character], "its keys are hashed by their canonical forms; TextKey is hashed as bytes"
    ),
    (
      #"\.(?:first|last) [!=]= ""#, [.text, .character],
      "the compiler takes the standard library's operator for a literal; use hasPrefix, hasSuffix or is(_:)"
    ),
    (#"\.allKeys\b"#, [.hash], "allKeys makes texts of the keys of others; only dictionaries are decoded by it"),
    (
      #"\.(?:isUppercase|isLowercase|isCased|asciiValue|hexDigitValue|isHexDigit)\b"#, [.character],
      "it compares canonical forms; ask the properties of a code point"
    ),
  ]
  /// A structure whose first property is a raw value of type `String`.
  private static let rawStructure =
    #"struct \w+: [^{]*\bRawRepresentable\b[^{]*\{(?:\s*///[^\n]*\n)*\s*(?:[a-z()]+ )*(?:var|let) rawValue: String"#

  /// `line` without what is compared by code points or bytes, or is bounded.
  private static func code(of line: Substring) -> String {
    ["unicodeScalars.", "utf8.", "properties.", "environment: [String"].reduce(String(line)) { line, harmless in
      line.replacing(harmless, with: harmless.dropLast() + "_")
    }
  }

  /// The findings in `source`, which stands at `path`, as sentences.
  static func findings(in source: String, at path: String) -> [String] {
    let parts = path.split(separator: "/").map(String.init)
    let module = parts.first == "Protocol" ? "CitiesProtocol" : parts.count > 2 ? parts[2] : ""
    let file = String(parts.last?.dropLast(6) ?? "")
    let allowed = CanonicalComparison.exceptions[module]?.first { $0.file == file }?.ways ?? []
    var found: [String] = []
    let patterns = patterns.filter { $0.ways.isDisjoint(with: allowed) }.compactMap { line in
      (try? Regex(line.pattern)).map { ($0, line.advice) }
    }
    for (number, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
      let code = code(of: line)
      for (pattern, advice) in patterns where code.contains(pattern) {
        found.append("\(path):\(number + 1): \(advice)")
      }
    }
    if let pattern = try? Regex(rawStructure), source.contains(pattern) {
      found.append("\(path): a word with a raw value of type String conforms to OpenWord, which compares bytes")
    }
    return found
  }
}
