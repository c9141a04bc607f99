/// The ways in which compiled code compares text by its canonical form, whose cost is quadratic in combining marks.
enum CanonicalComparison: String, CaseIterable {
  /// A hash of `String`, which dictionaries and sets take.
  case hash
  /// A comparison of `String` or `Substring`: an operator, or generic code over Equatable or Comparable.
  case text
  /// A comparison or a hash of `Character`, or its case, which is found by one.
  case character
  /// The case of an enumeration by its raw value, as the compiler synthesizes it: it compares text.
  case rawValue

  /// The way that `reference` takes; `nil` if it is none.
  init?(_ reference: ObjectFile.Reference) {
    let (function, symbol) = (reference.function, reference.symbol)
    // An enumeration with raw values hashes and compares words of this program.
    let isEnumeration = ["OSHAA", "OSQAA", "OSLAA", "Oyx_GSHAA"].contains { function.contains($0) }
    // For a structure with a raw value these call its own hash(into:).
    let isIndirect = function.contains("SHAASH13_rawHashValue") || function.contains("SHAASH9hashValueSivg")
    if symbol.hasPrefix("$sSSSHsW") || symbol.hasPrefix("$sSS4hash4into") || symbol.hasPrefix("$sSsSHsW") {
      guard !isEnumeration, !isIndirect else { return nil }
      self = .hash
    } else if [
      "$sSSSQsW", "$sSSSLsW", "$sSS2eeoi", "$sSS1loi", "$sSsSQsW", "$sSsSLsW", "$ss14_stringCompare",
      "$ss27_stringCompare", "$sSS9hasPrefixySbSSF", "$sSS9hasSuffixySbSSF", "$sSysE2eeoi", "$sSysE9hasPrefix",
      "$sSysE9hasSuffix",
    ].contains(where: symbol.hasPrefix) {
      guard !isEnumeration else { return nil }
      self = .text
    } else if symbol.hasPrefix("$sSJ"),
      [
        "SQsW", "SHsW", "SLsW", "2eeoi", "1loi", "11isUppercase", "11isLowercase",
        "7isCased", "10asciiValue", "13hexDigitValue", "10isHexDigit",
      ].contains(where: symbol.dropFirst(4).hasPrefix)
    {
      self = .character
    } else if symbol.contains("O8rawValue"), symbol.hasSuffix("SgSS_tcfC"), !function.contains("SYAASY8rawValue"),
      !function.contains("O11stringValue")
    {
      self = .rawValue
    } else if symbol.hasPrefix("$sSYsSeRzSS8RawValue"), function.contains("OSeAASe4from") {
      self = .rawValue
    } else {
      return nil
    }
  }

  /// A file that may compare text by its canonical form, and why that is harmless.
  struct Exception {
    var file: String
    var ways: Set<CanonicalComparison>
    var reason: String
  }

  private static let names = "its keys are names of this program"
  private static let words = "the decoder takes keys of at most 32 bytes"
  private static let variables = "the environment's names have at most 255 bytes"

  /// The exceptions by module.
  static let exceptions: [String: [Exception]] = [
    "Cities": [
      Exception(file: "AreaTableBuilder", ways: [.text], reason: "only tests compare whole tables of names")
    ],
    "CitiesAssistant": [
      Exception(file: "MessageSchema", ways: [.text], reason: "the schema is this program's")
    ],
    "CitiesBrowser": [
      Exception(file: "Browser", ways: [.hash], reason: words),
      Exception(file: "BrowserEvent", ways: [.character], reason: "a key of the keyboard"),
      Exception(file: "LineEditor", ways: [.character], reason: "a line that the user types, compared by tests alone"),
      Exception(file: "Painter+Map", ways: [.character], reason: "a caption of this program"),
      Exception(file: "ServerLink", ways: [.hash], reason: words),
      Exception(file: "TerminalRestorer", ways: [.character], reason: "a capability of the terminal"),
    ],
    "CitiesCommands": [
      Exception(file: "HelpPage", ways: [.text, .character], reason: "its text is this program's"),
      Exception(file: "ReadinessWait", ways: [.hash], reason: words),
      Exception(file: "StatusMetrics", ways: [.hash], reason: words),
      Exception(file: "StatusVerb", ways: [.hash], reason: words),
      Exception(file: "WatchVerb", ways: [.hash], reason: words),
    ],
    "CitiesProtocol": [
      Exception(file: "Hello", ways: [.hash, .text], reason: words),
      Exception(file: "Status", ways: [.hash], reason: words),
      Exception(file: "Watch", ways: [.hash, .text], reason: words),
    ],
    "CitiesServer": [
      Exception(file: "QueryServer", ways: [.hash], reason: names),
      Exception(
        file: "ResidentSubject", ways: [.hash], reason: "paths of the configuration with names of this program"),
    ],
    "FeedSync": [
      Exception(file: "CommandOutput", ways: [.hash], reason: names),
      Exception(file: "ConfigurationCheck", ways: [.hash], reason: variables),
      Exception(file: "ConfigurationFile", ways: [.hash], reason: variables),
      Exception(file: "ConfigurationKey", ways: [.hash], reason: variables),
      Exception(file: "ConfigurationTree", ways: [.hash], reason: variables),
      Exception(file: "FeedSwitch", ways: [.hash], reason: variables),
      Exception(file: "HeaderFile", ways: [.hash], reason: variables),
      Exception(file: "PlainLocation", ways: [.hash], reason: names),
      Exception(file: "RunningServer", ways: [.hash], reason: variables),
      Exception(file: "SourceImport", ways: [.hash], reason: variables),
      Exception(file: "SyncService", ways: [.hash], reason: names),
    ],
    "FrameService": [
      Exception(file: "FramedService", ways: [.hash], reason: names),
      Exception(file: "JournalEvent", ways: [.hash], reason: names),
      Exception(file: "Limits", ways: [.hash], reason: names),
      Exception(file: "ServiceManager", ways: [.hash], reason: names),
    ],
    "Resident": [
      Exception(file: "SpillFile", ways: [.hash], reason: variables)
    ],
    "System": [
      Exception(file: "ProcessEnvironment", ways: [.hash], reason: variables)
    ],
  ]
}
