import Text

extension SyncCommand {
  private static let (width, column) = (80, 26)
  private static let common = [("--version", "Show the version.", ""), ("-h, --help", "Show help information.", "")]

  /// The help of the command whose name is `path`.
  func help(_ path: [String]) -> String {
    // A paragraph is one line.
    let described = discussion.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("  ") ? String(line) : Self.filled(String(line))
    }.joined(separator: "\n")
    let title = path.joined(separator: " ")
    let usage = action == nil ? ["<subcommand>"] : arguments.map(\.usage)
    var sections = ["OVERVIEW: \(abstract)"] + (described.isEmpty ? [] : [described])
    sections.append((["USAGE: \(title)"] + usage).joined(separator: " "))
    let positional = arguments.filter { $0.kind == .positional }
    let options = arguments.filter { $0.kind != .positional }
    if !positional.isEmpty { sections.append(Self.section("ARGUMENTS", positional.map(\.row))) }
    sections.append(Self.section("OPTIONS", options.map(\.row) + Self.common))
    if !commands.isEmpty {
      sections.append(Self.section("SUBCOMMANDS", commands.filter { !$0.isHidden }.map { ($0.name, $0.abstract, "") }))
      let below = (path.prefix(1) + ["help"] + path.dropFirst()).joined(separator: " ")
      sections.append("  See '\(below) <subcommand>' for detailed help.")
    }
    return sections.joined(separator: "\n\n")
  }

  private static func section(_ title: String, _ rows: [(label: String, summary: String, details: String)]) -> String {
    let lines = rows.map { label, summary, details in
      let indent = String(repeating: " ", count: column)
      let start = "  \(label)"
      let gap = start.count < column ? String(indent.dropFirst(start.count)) : "\n\(indent)"
      let more = details.isEmpty ? "" : "\n" + filled(details, indent: String(repeating: " ", count: 8))
      return start + gap + filled(summary, indent: indent).dropFirst(column) + more
    }
    return ([title + ":"] + lines).joined(separator: "\n")
  }

  private static func filled(_ text: String, indent: String = "") -> String {
    wrapped(text, width: width - indent.count).map { indent + $0 }.joined(separator: "\n")
  }

  /// Its definition as JSON, for contrib/man/make-pages.
  var dump: String {
    """
    {"commandName":\(quotedJSON(name)),"abstract":\(quotedJSON(abstract)),"discussion":\(quotedJSON(discussion)),\
    "shouldDisplay":\(!isHidden),"arguments":[\(arguments.map(\.dump).joined(separator: ","))],\
    "subcommands":[\(commands.map(\.dump).joined(separator: ","))]}
    """
  }
}

extension CommandArgument {
  fileprivate var row: (label: String, summary: String, details: String) { (label, summary, details) }

  fileprivate var dump: String {
    let names = kind == .positional ? "" : "{\"kind\":\"long\",\"name\":\(quotedJSON(String(name.dropFirst(2))))}"
    return """
      {"kind":"\(kind.rawValue)","shouldDisplay":true,"names":[\(names)],"valueName":\(quotedJSON(value)),\
      "isRepeating":\(isRepeating),"abstract":\(quotedJSON(summary)),"discussion":\(quotedJSON(details))}
      """
  }
}
