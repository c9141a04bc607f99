/// What one module may import, and why no more.
struct ImportRule {
  /// The module's folder, from the repository's root.
  var folder: String
  /// The modules of this package and others that every file of it may import, apart from `Base`, which all may.
  var allowed: Set<String>
  /// Modules that single files may import besides, by file name.
  var allowedInFile: [String: Set<String>] = [:]
  /// Why nothing else may be imported: what breaks if it is.
  var reason: String

  /// The module's name: its folder's, except for the contract, which stands at the top.
  var module: String { folder == "Protocol" ? "CitiesProtocol" : String(folder.split(separator: "/").last ?? "") }
}

/// An import that a rule does not allow.
struct ImportViolation: CustomStringConvertible {
  var path: String
  var line: ImportLine
  var rule: ImportRule

  var description: String {
    """
    \(path):\(line.line) imports \(line.module); \(rule.module) may import \
    \(rule.allowed.isEmpty ? "nothing" : rule.allowed.sorted().joined(separator: ", ")): \(rule.reason)
    """
  }
}

extension ImportRule {
  /// The imports of `source`, which stands at `path` in this rule's folder, that are not allowed.
  func violations(in source: String, at path: String) -> [ImportViolation] {
    let name = String(path.split(separator: "/").last ?? "")
    let permitted = allowed.union(allowedInFile[name] ?? []).union(module == "Base" ? [] : ["Base"])
    return ImportScanner.imports(in: source)
      .filter { !permitted.contains($0.module) }
      .map { ImportViolation(path: path, line: $0, rule: self) }
  }
}

/// Every module of this package, from the ground up; an arrow that is not here does not exist.
let importRules: [ImportRule] = [
  ImportRule(
    folder: "Sources/Base/ByteText", allowed: [],
    reason: "every module exports it, and so it has nothing that other packages can see, and imports nothing"),
  ImportRule(
    folder: "Sources/Base/Base", allowed: ["ByteText"],
    reason: "every layer stands on it, the contract and the domain too: it takes the standard library and nothing else"),
  ImportRule(
    folder: "Sources/Base/Coroutines", allowed: [],
    reason: """
      the domain waits by it and the service drives it: it takes the language's own coroutines, and neither a clock nor \
      a thread
      """),
  ImportRule(
    folder: "Sources/System/System", allowed: ["CLinux", "Glibc"],
    reason: """
      servers, importers and client share its files, sockets, threads and clocks: it knows no wire, no data and no \
      program, and what imports it brings the C library and nothing else
      """),
  ImportRule(
    folder: "Sources/System/Folders", allowed: ["CLinux", "System", "Glibc"],
    reason: """
      what root may touch is decided here, for the server and the sync service; the client has no such files, and the \
      code would only make it larger
      """),
  ImportRule(
    folder: "Sources/Wire/CBOR", allowed: [],
    reason: "the codec is the standard library's alone, so that any program can take it, on any platform"),
  ImportRule(
    folder: "Protocol", allowed: ["ByteText", "CBOR"],
    reason: "the contract imports nothing of the program: to refactor a domain type must never move the wire"),
  ImportRule(
    folder: "Sources/Wire/Framing", allowed: ["CitiesProtocol", "CBOR"],
    reason: """
      a connection is a value: its drivers own sockets and clocks, so that one implementation serves a blocking client, \
      a full screen and two servers, and is tested byte by byte
      """),
  ImportRule(
    folder: "Sources/Text/Text", allowed: ["CUTF8Proc"], allowedInFile: ["CountryName.swift": ["CCountryFacts"]],
    reason: "client and server must fold alike: one library decides, and neither Foundation nor a locale has a say"),
  ImportRule(
    folder: "Sources/Domain/Geodesy", allowed: ["CPrefetch"], allowedInFile: ["Geodesy.swift": ["Glibc"]],
    reason: """
      the domain makes no system call and takes no Foundation: it can be reasoned about, tested and fuzzed as pure \
      values (Geodesy.swift alone takes the C library, for sine and cosine)
      """),
  ImportRule(
    folder: "Sources/Domain/CivilTime", allowed: [],
    reason: "times and zones are values made from bytes: who reads a clock or a file hands over what it read"),
  ImportRule(
    folder: "Sources/Domain/Cities", allowed: ["CLetters", "CPrefetch", "Coroutines", "Geodesy", "Text"],
    reason: "the domain makes no system call and takes no Foundation, and its subjects do not know each other"),
  ImportRule(
    folder: "Sources/Domain/Banks", allowed: ["CivilTime", "Coroutines", "Geodesy", "Text"],
    allowedInFile: [
      "CountryName+Codes.swift": ["CCountryNames"], "HolidayTable.swift": ["CHours"],
      "HoursLanguage.swift": ["CHours"],
    ],
    reason: "the domain makes no system call and takes no Foundation, and its subjects do not know each other"),
  ImportRule(
    folder: "Sources/Domain/Countries", allowed: ["CCountries", "Geodesy"],
    reason: "the domain makes no system call and takes no Foundation; the map is in the two servers alone"),
  ImportRule(
    folder: "Sources/Domain/Money", allowed: [],
    reason: """
      money is exact because nothing but the standard library's integers touches it: no Foundation, whose numbers pass \
      through binary floating point, and no system call
      """),
  ImportRule(
    folder: "Sources/Resident/Resident",
    allowed: [
      "CCRC32C", "CMappings", "Banks", "Cities", "CivilTime", "Geodesy", "Money", "CitiesProtocol", "CBOR", "Text",
      "System", "Folders", "Glibc",
    ],
    reason: "the server maps these files before its first answer: Foundation would cost it its start-up time"),
  ImportRule(
    folder: "Sources/Service/FrameService",
    allowed: [
      "CLinux", "CSystemd", "Coroutines", "Framing", "System", "Folders", "CitiesProtocol", "CBOR", "Logging", "Glibc",
      "Synchronization",
    ],
    reason: """
      it carries frames for both servers and knows no subject; it alone speaks with systemd, so that activation and \
      readiness have one owner
      """),
  ImportRule(
    folder: "Sources/Server/CitiesServer",
    allowed: [
      "Coroutines", "FrameService", "Resident", "Banks", "Cities", "CivilTime", "Countries", "Geodesy", "Money",
      "Text",
      "CitiesProtocol", "CBOR", "System", "Logging", "Glibc", "Synchronization",
    ],
    reason: """
      the server reads nothing foreign (no JSON, no HTTP, no Sync), never imports a client and takes no Foundation: \
      it would triple its memory and its start-up time
      """),
  ImportRule(
    folder: "Sources/Server/citiesd",
    allowed: ["CSystemdLoader", "CitiesServer", "FrameService", "System", "CitiesProtocol", "Logging", "Glibc"],
    reason: "a program composes and runs; whatever else it needs belongs in the library below it"),
  ImportRule(
    folder: "Sources/Sync/FeedSync",
    allowed: [
      "CCharsets", "CCurl", "CZlib", "FrameService", "Resident", "Banks", "Cities", "Countries", "CivilTime", "Base",
      "Geodesy", "Money", "Text", "CitiesProtocol", "CBOR", "System", "Folders", "Logging", "Glibc", "Synchronization",
    ],
    reason: "importers write resident files for a server they never see: they import neither Server nor Client"),
  ImportRule(
    folder: "Sources/Sync/citiesd-sync",
    allowed: [
      "CSystemd", "FeedSync", "FrameService", "System", "Folders", "CitiesProtocol", "Logging", "Glibc",
    ],
    reason: "a program composes and runs; whatever else it needs belongs in the library below it"),
  ImportRule(
    folder: "Sources/Client/CitiesClient",
    allowed: ["ByteText", "Framing", "System", "CitiesProtocol", "CBOR", "Glibc"],
    reason: "other programs link it: it brings the contract, the C library and nothing else"),
  ImportRule(
    folder: "Sources/Client/CBORTools", allowed: ["CBOR"],
    reason: "it shows and reads frames for people (call, --trace): the servers have no use for JSON"),
  ImportRule(
    folder: "Sources/Client/CitiesCommands",
    allowed: ["CitiesClient", "CitiesProtocol", "CBOR", "CBORTools", "System", "Text", "Glibc"],
    reason: """
      the client knows the server by its wire alone, never by its code (Server, Sync, Service, Resident, Domain), and \
      starts in a millisecond because it takes no Foundation
      """),
  ImportRule(
    folder: "Sources/Client/CitiesMap", allowed: ["CitiesProtocol", "CBOR", "Text"],
    allowedInFile: [
      "Viewport.swift": ["Glibc"], "Sun.swift": ["Glibc"], "GreatCircle.swift": ["Glibc"],
      "Outlines.swift": ["COutlines"], "CountryFacts.swift": ["CCountryFacts"],
    ],
    reason: """
      a drawing is a value: it opens no socket, no terminal and no file, so that a printed map and the full screen show \
      the same (three files take the C library, for the cosine)
      """),
  ImportRule(
    folder: "Sources/Client/CitiesMapCommands",
    allowed: ["CitiesMap", "CitiesCommands", "CitiesClient", "CitiesProtocol", "CBOR", "System", "Text"],
    reason: "it asks the server by the client library and prints what CitiesMap has drawn: no ncurses, no Foundation"),
  ImportRule(
    folder: "Sources/Client/CitiesBulkCommands",
    allowed: ["CitiesCommands", "CitiesClient", "Framing", "CitiesProtocol", "CBOR", "System", "Base"],
    allowedInFile: [
      "ProgressLine.swift": ["Glibc"], "RequestPipeline.swift": ["Glibc"], "TableBatch.swift": ["Glibc"],
      "TableReader.swift": ["Glibc"],
    ],
    reason: "it reads a table, asks by the client library and writes the table: citiesctl links nothing of that"),
  ImportRule(
    folder: "Sources/Client/CitiesAssistant",
    allowed: ["CitiesCommands", "CitiesClient", "CitiesProtocol", "CBOR", "CBORTools", "System", "Text"],
    reason: """
      its tools are messages of the wire, or commands that it is given: it knows the server by the client library alone
      """),
  ImportRule(
    folder: "Sources/Client/CitiesBrowser",
    allowed: ["CitiesMap", "CitiesCommands", "CitiesClient", "Framing", "CitiesProtocol", "CBOR", "Text"],
    allowedInFile: [
      "Browse.swift": ["CNcurses", "Glibc", "System"], "BrowserLoop.swift": ["CNcurses", "Glibc", "System"],
      "Terminal.swift": ["CNcurses", "Glibc", "System"], "TerminalRestorer.swift": ["CNcurses", "Glibc"],
      "Palette.swift": ["CNcurses"], "KeyPress+Terminal.swift": ["CNcurses"], "Desktop.swift": ["Glibc", "System"],
      "ZoneClock.swift": ["Glibc"], "PlainPicker.swift": ["Glibc", "System"],
    ],
    reason: """
      the screen is a value that events change: what touches the terminal, signals and other programs stands in a few \
      files, and no other program links ncurses
      """),
  ImportRule(
    folder: "Sources/Client/citiesctl-helper",
    allowed: [
      "CitiesAssistant", "CitiesBrowser", "CitiesBulkCommands", "CitiesCommands", "CitiesMapCommands", "Glibc",
    ],
    reason: "it is a main and nothing else"),
  ImportRule(
    folder: "Sources/Client/citiesctl", allowed: ["CitiesCommands", "Glibc"],
    reason: "it is a main and nothing else"),
]
