import TestSupport

/// The folders that are modules.
enum Modules {
  /// Folders of Swift modules: the contract and `Sources/LAYER/MODULE` wherever a Swift file stands in it.
  static var swiftFolders: [String] {
    ["Protocol"] + folders(below: "Sources").flatMap(folders(below:)).filter(holdsSwift)
  }

  /// Folders of Swift modules that are libraries: all but those with a `main.swift`.
  static var libraryFolders: [String] {
    swiftFolders.filter { !Repository.exists(Repository.path("\($0)/main.swift")) }
  }

  /// The folder of a library's tests, which mirrors its place.
  static func testFolder(of folder: String) -> String {
    folder == "Protocol"
      ? "Tests/Protocol/CitiesProtocolTests" : "Tests\(folder.dropFirst("Sources".count))Tests"
  }

  private static func folders(below folder: String) -> [String] {
    Repository.names(in: Repository.path(folder)).map { "\(folder)/\($0)" }
      .filter { Repository.isFolder(Repository.path($0)) }
  }

  private static func holdsSwift(_ folder: String) -> Bool {
    Repository.files(under: folder).contains { $0.hasSuffix(".swift") }
  }
}
