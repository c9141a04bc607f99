internal import CBOR
internal import CBORTools

/// All commands with their options as JSON, for contrib/man/make-pages.
///
/// The format is that of `citiesd-sync`, so that one script makes the manual pages of both.
enum CommandDump {
  static let option = "--experimental-dump-help"

  static var text: String {
    let verbs = Citiesctl.verbs.map { command($0.command, table: ArgumentTable(of: $0)) }
    let groups = Citiesctl.groups.map { group in
      command(group.text, subcommands: group.verbs.map { command($0.command, table: ArgumentTable(of: $0)) })
    }
    return CBORValue.object(["command": command(Citiesctl.text, subcommands: verbs + groups)]).json()
  }

  private static func command(
    _ text: CommandText, table: ArgumentTable? = nil, subcommands: [CBORValue] = []
  ) -> CBORValue {
    .object([
      "commandName": .text(text.name), "abstract": .text(text.abstract), "discussion": .text(text.discussion),
      "shouldDisplay": .bool(true), "subcommands": .array(subcommands),
      "arguments": .array((table?.entries ?? []).map(argument)),
    ])
  }

  private static func argument(_ entry: ArgumentTable.Entry) -> CBORValue {
    let long = CBORValue.object(["kind": .text("long"), "name": .text(String(entry.name.drop { $0.is("-") }))])
    let short = entry.short.map {
      CBORValue.object(["kind": .text("short"), "name": .text(String($0.dropFirst()))])
    }
    return .object([
      "kind": .text(entry.kind == .argument ? "positional" : entry.kind.rawValue),
      "shouldDisplay": .bool(!entry.summary.isEmpty),
      "names": .array(entry.kind == .argument ? [] : [short, long].compactMap(\.self)),
      "valueName": .text(entry.value), "isRepeating": .bool(entry.isRepeating),
      "abstract": .text(entry.summary), "discussion": .text(entry.details),
      "sectionTitle": entry.section.map { .text($0) } ?? .null,
    ])
  }
}
