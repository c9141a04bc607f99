// swift-tools-version: 6.2
//
// Folders are layers; an arrow means "may import", and every arrow points down.
//
//   citiesctl, citiesctl-helper  citiesd           citiesd-sync      compose and run, nothing else
//       |             |              |                 |
//       |      CitiesBrowser         |                 |             the full screen (alone over CNcurses)
//       |    CitiesBulkCommands      |                 |             tables, with what the server knows of each row
//       |    CitiesAssistant         |                 |             tools for assistants (Model Context Protocol)
//       |    CitiesMapCommands       |                 |             maps, asked for and printed ...
//       |        |    CitiesMap      |                 |             ... and drawn, as values (over Text, CitiesProtocol)
//       |        |                   |                 |
//   CitiesCommands       CitiesServer            FeedSync         the verbs; the handlers; the importers
//       |                    |      \            /  |
//   CitiesClient             |     FrameService     |             sockets: blocking client; activation, loop, connections
//       |                    |        |    |        |
//       |                    +--- Resident |--------+             the resident files: format, writer, opener
//       |                    |   / Folders |        |             folders held by descriptor, safe for root; over System
//       +------------------- | System -----+--------+             Glibc: files, sockets, threads, clocks, errno errors
//       |                    |       |     |
//       |  Cities Banks Money Countries   |                      the domain: no Foundation, no system calls,
//       |                    |       |     |                      over Geodesy, CivilTime and Coroutines
//       +------- Text -------+       |                          folding and cell width
//       |                            |
//       +------ Framing -------------+                          frames, and a client's side of a connection, as values
//       |                            |
//       +------ CitiesProtocol ---- CBOR                          RFC 8949
//                                    |
//                                  Base                           under everything, System too: byte order, dates, JSON
//                                  ByteText                       comparisons of text by bytes, exported to every file
//
// Client never imports Server, Sync, Service, Resident or Domain; Server and Sync never import each other or Client.
// Tests/Architecture checks these rules on every import line, with the reason in its failure message.

import PackageDescription

/// Settings that every Swift target of this package is compiled with.
let house: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Asynchronous functions stay on the thread of their caller: see Coroutines.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (Context.environment["CITIES_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// Whether contrib/build builds the programs.
///
/// Otherwise no target has unsafe flags: a package that depends on the libraries would be refused, and sanitizers do
/// not support static linking.
let isRelease = Context.environment["CITIES_RELEASE"] != nil
let buildFolder = Context.packageDirectory + "/.build-release"

/// Settings of modules that only the client's programs have: 0.2 MB less for 2 % more instructions of a short command.
let forSize: [SwiftSetting] = isRelease ? [.unsafeFlags(["-Osize"])] : []

/// For modules that need unsafe code in a few places, each of which is marked: another one is a warning.
let strict: [SwiftSetting] = [.strictMemorySafety()]

/// Flags for the link of programs that use the system's libraries: relative relocations take an eighth of their room
/// (glibc 2.36, and the toolchain's linker on every release of Debian), and the compiler's support library is inside.
let shared = ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xclang-linker", "-static-libgcc"]

/// A library and its test target, which stands at the same place below `Tests/`; its tests may read files of
/// `testData`.
func library(
  _ name: String, in layer: String, _ dependencies: [Target.Dependency] = [], tests: [Target.Dependency] = [],
  testData: [String] = [], resources: [Resource] = [], settings: [SwiftSetting] = []
) -> [Target] {
  [
    .target(
      name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", resources: resources,
      swiftSettings: house + settings),
    .testTarget(
      name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies + tests,
      path: "Tests/\(layer)/\(name)Tests", exclude: testData, swiftSettings: house),
  ]
}

/// An executable that only composes a library and runs it.
func program(
  _ name: String, in layer: String, _ dependencies: [Target.Dependency], libraries: [String] = [],
  linking flags: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies + ["CStart"], path: "Sources/\(layer)/\(name)",
    swiftSettings: house + strict,
    linkerSettings: libraries.map { .linkedLibrary($0) }
      + (isRelease && !flags.isEmpty ? [.unsafeFlags(flags)] : []))
}

/// A C library or a header of `static inline` wrappers, with its module map in its folder.
func header(_ name: String, in layer: String, pkgConfig: String? = nil, apt: String? = nil) -> Target {
  .systemLibrary(
    name: name, path: "Sources/\(layer)/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] })
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
  name: "cities",
  products: [
    .executable(name: "citiesd", targets: ["citiesd"]),
    .executable(name: "citiesd-sync", targets: ["citiesd-sync"]),
    .executable(name: "citiesctl", targets: ["citiesctl"]),
    .executable(name: "citiesctl-helper", targets: ["citiesctl-helper"]),
    .library(name: "CitiesClient", targets: ["CitiesClient"]),
    .library(name: "CitiesProtocol", targets: ["CitiesProtocol"]),
  ],
  dependencies: [
    // Exact, because no Package.resolved is committed; contrib/packages records the same versions, which a test
    // compares.
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2")
  ],
  targets: [
    // Text and the wire: shared by server and client.
    header("CUTF8Proc", in: "Text", apt: "libutf8proc-dev"),
    .target(
      name: "CitiesProtocol", dependencies: ["Base", "ByteText", "CBOR"], path: "Protocol",
      exclude: ["README.md", "vectors", "vectors.jsonl", "reference"], resources: [.embedInCode("cities.cddl")],
      swiftSettings: house + strict),
    .testTarget(
      name: "CitiesProtocolTests", dependencies: ["CitiesProtocol", "Base", "CBOR", "CBORTools", "TestSupport"],
      path: "Tests/Protocol/CitiesProtocolTests", swiftSettings: house),

    // System headers.
    header("CCRC32C", in: "Resident"),
    header("CPrefetch", in: "Domain"),
    header("CLinux", in: "System"),
    // In every program: answers to what the runtime asks for when it starts.
    .target(name: "CStart", path: "Sources/System/CStart"),
    // Without a flag for the linker: citiesd opens the library at run time, by CSystemdLoader, and citiesd-sync links
    // it.
    header("CSystemd", in: "Service", apt: "libsystemd-dev"),
    header("CZlib", in: "Sync", pkgConfig: "zlib", apt: "zlib1g-dev"),
    header("CCurl", in: "Sync", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),

    // Opens libsystemd, and has the ELF note that says so.
    .target(name: "CSystemdLoader", dependencies: ["CSystemd"], path: "Sources/Service/CSystemdLoader"),

    // The handler of SIGBUS for mapped files, and the table that it looks into.
    .target(name: "CMappings", path: "Sources/Resident/CMappings"),

    // The outlines of maps, the names of and facts about countries, the public holidays and the words of opening hours,
    // the countries of points, other forms of letters, and charsets, which the compiler of C puts into the programs by #embed.
    .target(name: "COutlines", path: "Sources/Client/COutlines"),
    .target(name: "CCountryFacts", path: "Sources/Text/CCountryFacts"),
    .target(name: "CCountryNames", path: "Sources/Domain/CCountryNames"),
    .target(name: "CCharsets", path: "Sources/Sync/CCharsets"),
    .target(name: "CHours", path: "Sources/Domain/CHours"),
    .target(name: "CCountries", path: "Sources/Domain/CCountries"),
    .target(name: "CLetters", path: "Sources/Domain/CLetters"),

    // The screen of the browser, seen by it alone.
    header("CNcurses", in: "Client", apt: "libncurses-dev"),

    // Programs.
    program(
      "citiesd", in: "Server", ["CSystemdLoader", "CitiesServer", "FrameService", "System"], linking: shared),
    program(
      "citiesd-sync", in: "Sync",
      ["CSystemd", "FeedSync", "FrameService", "System", "Folders", "CitiesProtocol", logging],
      libraries: ["systemd"], linking: shared),
    // Fully static: it starts in a sixth of the time, and needs no library of the system. Functions with the same code
    // are one, except those whose addresses are taken: by the toolchain's linker, as Debian 13 has no gold in binutils.
    // The functions that a short command uses lie beside each other (contrib/order).
    program(
      "citiesctl", in: "Client", ["CitiesCommands"],
      linking: ["-static-executable", "-use-ld=lld"]
        + [
          "--icf=safe", "--symbol-ordering-file=\(buildFolder)/citiesctl.order", "--no-warn-symbol-ordering",
          "--no-demangle", "-Map=\(buildFolder)/citiesctl.map",
        ].flatMap { ["-Xlinker", $0] }),
    program(
      "citiesctl-helper", in: "Client",
      ["CitiesCommands", "CitiesMapCommands", "CitiesBulkCommands", "CitiesAssistant", "CitiesBrowser"],
      linking: shared),

    // Tests that belong to no single library, and what tests share.
    .target(
      name: "TestSupport", dependencies: ["Coroutines", logging], path: "Tests/Support/TestSupport",
      swiftSettings: house),
    .target(
      name: "TradeReference", dependencies: ["Money"], path: "Tests/Support/TradeReference", swiftSettings: house),
    .target(
      name: "ResidentQuestions",
      dependencies: [
        "Coroutines", "Resident", "Banks", "Cities", "CivilTime", "Geodesy", "Money", "TestSupport", "TradeReference",
      ],
      path: "Tests/Support/ResidentQuestions", swiftSettings: house),
    .target(
      name: "Fuzzing",
      dependencies: [
        "CitiesServer", "FrameService", "FeedSync", "Resident", "ResidentQuestions", "CitiesBulkCommands",
        "CitiesCommands", "CivilTime", "CitiesProtocol", "CBOR", "TestSupport", logging,
      ], path: "Tests/Fuzzing/Fuzzing", swiftSettings: house),
    .testTarget(
      name: "FuzzingTests",
      dependencies: [
        "Fuzzing", "FeedSync", "Banks", "CivilTime", "Geodesy", "Resident", "CitiesCommands", "CitiesProtocol",
        "TestSupport",
      ], path: "Tests/Fuzzing/FuzzingTests", swiftSettings: house),
    .testTarget(
      name: "ArchitectureTests", dependencies: ["TestSupport"], path: "Tests/Architecture/ArchitectureTests",
      swiftSettings: house),
  ]
    + library("ByteText", in: "Base")
    + library("Base", in: "Base", ["ByteText"])
    + library("Coroutines", in: "Base")
    + library("System", in: "System", ["CLinux", "Base"], tests: ["Folders"])
    + library("Folders", in: "System", ["CLinux", "System", "Base"], settings: strict)
    + library("Text", in: "Text", ["CCountryFacts", "CUTF8Proc", "Base"])
    + library("CBOR", in: "Wire", ["Base"], tests: ["CBORTools"])
    + library("Framing", in: "Wire", ["CitiesProtocol", "CBOR", "Base"])
    + library("Geodesy", in: "Domain", ["CPrefetch", "Base"])
    + library("CivilTime", in: "Domain", ["Base"], settings: strict)
    + library("Cities", in: "Domain", ["CLetters", "CPrefetch", "Base", "Coroutines", "Geodesy", "Text"])
    + library(
      "Banks", in: "Domain", ["CCountryNames", "CHours", "CivilTime", "Base", "Coroutines", "Geodesy", "Text"])
    + library("Countries", in: "Domain", ["CCountries", "Base", "Geodesy"], settings: strict)
    + library("Money", in: "Domain", ["Base"], tests: ["TradeReference"], settings: strict)
    + library(
      "Resident", in: "Resident",
      [
        "CCRC32C", "CMappings", "System", "Folders", "Banks", "Cities", "CivilTime", "Base", "Geodesy", "Money",
        "CitiesProtocol",
        "CBOR", "Text",
      ],
      tests: ["TradeReference", "ResidentQuestions"])
    + library(
      "FrameService", in: "Service",
      ["CLinux", "CSystemd", "Base", "Coroutines", "Framing", "System", "Folders", "CitiesProtocol", "CBOR", logging])
    + library(
      "CitiesServer", in: "Server",
      [
        "Coroutines", "FrameService", "Resident", "System", "Banks", "Cities", "CivilTime", "Countries", "Geodesy",
        "Money", "Text", "CitiesProtocol", "CBOR", logging,
      ],
      tests: ["TradeReference"])
    + library(
      "FeedSync", in: "Sync",
      [
        "CCharsets", "CCurl", "CZlib", "FrameService", "Resident", "System", "Folders", "Banks", "Cities", "Countries",
        "CivilTime", "Base", "Geodesy", "Money", "Text", "CitiesProtocol", "CBOR", logging,
      ],
      tests: ["CBORTools", "TradeReference"])
    + library("CBORTools", in: "Client", ["Base", "CBOR"], settings: forSize + strict)
    + library(
      "CitiesClient", in: "Client", ["ByteText", "Framing", "System", "CitiesProtocol", "CBOR"],
      settings: forSize + strict)
    + library(
      "CitiesCommands", in: "Client",
      ["CitiesClient", "CitiesProtocol", "Base", "System", "CBOR", "CBORTools", "Text"],
      // Links to contrib/completions.
      resources: ["bash", "zsh", "fish"].flatMap { shell in
        ["completion", "key"].map { .embedInCode("Shells/\($0).\(shell)") }
      }, settings: forSize)
    + library(
      "CitiesMap", in: "Client", ["CCountryFacts", "COutlines", "CitiesProtocol", "Base", "CBOR", "Text"],
      testData: ["Pictures"],
      settings: strict)
    + library(
      "CitiesMapCommands", in: "Client",
      ["CitiesMap", "CitiesCommands", "CitiesClient", "CitiesProtocol", "Base", "System", "CBOR", "Text"],
      settings: strict)
    + library(
      "CitiesBulkCommands", in: "Client",
      ["CitiesCommands", "CitiesClient", "Framing", "CitiesProtocol", "System", "CBOR", "Base"])
    + library(
      "CitiesAssistant", in: "Client",
      ["CitiesCommands", "CitiesClient", "CitiesProtocol", "System", "CBOR", "CBORTools", "Base", "Text"])
    + library(
      "CitiesBrowser", in: "Client",
      [
        "CNcurses", "CitiesMap", "CitiesCommands", "CitiesClient", "Framing", "CitiesProtocol", "Base", "CBOR",
        "System", "Text",
      ])
)

// contrib/fuzz --guided builds it alone, with the toolchain's libFuzzer, whose symbols only lld can link here.
if Context.environment["CITIES_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["Fuzzing", "TestSupport"], path: "Tests/Fuzzing/guided", swiftSettings: house,
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
}

// contrib/simulate alone builds the simulation, whose module of C takes the C library's place in it.
if Context.environment["CITIES_SIMULATION"] != nil {
  package.targets += [
    .target(name: "CSimulatedCalls", path: "Tests/Simulation/CSimulatedCalls"),
    .executableTarget(
      name: "cities-simulation",
      dependencies: [
        "CSimulatedCalls", "CitiesServer", "FrameService", "Resident", "Banks", "Cities", "Money", "Geodesy",
        "CitiesProtocol", "CBOR", "Framing", "System", logging,
      ],
      path: "Tests/Simulation/Simulation", swiftSettings: house),
  ]
}

// contrib/check builds one layer or module with its tests: the others would be compiled after each of its changes.
// contrib/build builds the programs, all at once.
let layer = Context.environment["CITIES_LAYER"]
if isRelease || layer != nil {
  let named = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var wanted = package.targets.filter { target in
    guard let layer else { return target.type == .executable }
    return target.path?.split(separator: "/").contains { $0 == layer } == true
  }
  if layer != nil { wanted += wanted.compactMap { named["\($0.name)Tests"] } }
  var kept: Set<String> = []
  while let target = wanted.popLast() {
    guard kept.insert(target.name).inserted else { continue }
    wanted += target.dependencies.compactMap {
      guard case .byNameItem(let name, _) = $0 else { return nil }
      return named[name]
    }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  if layer != nil { package.products = [] }
}
