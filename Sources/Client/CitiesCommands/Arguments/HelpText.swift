internal import ArgumentParser

/// The parser's help, arranged for people.
///
/// One definition is the source of the help and of the manual page, which has room for details. Here an option is one
/// line, a command's own options come before those that it shares with others, and examples come last.
enum HelpText {
  /// Paragraphs of a description that are in the manual alone.
  static let manualOnly = ["Exit status:", "Environment:", "Files:"]

  /// `help` rearranged; a text that is not the parser's help as it is.
  static func arranged(_ help: String) -> String {
    guard help.hasPrefix(overviewMark) else { return help }
    var sections = split(help.dropFirst(overviewMark.count))
    let (overview, examples) = parts(ofOverview: sections.removeFirst())
    let isRoot = sections.first?.first == "USAGE: \(Citiesctl.configuration.usage ?? "")"
    sections = sections.map(withoutDetails).map { standard($0, isRoot: isRoot) }
    var standing = Section()
    for index in sections.indices {
      standing += sections[index].filter(isStandard)
      sections[index].removeAll(where: isStandard)
    }
    let ordered = sections.filter { $0.count > 1 || $0.first?.hasPrefix("USAGE: ") == true }
      .enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    let head: Section = standing.isEmpty ? [] : ["HELP:"]
    let footer = help.contains(footerMark) ? [Self.footer(isRoot: isRoot)] : []
    return ([overview] + ordered + [head + standing, examples, footer])
      .filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  /// Lines, the first of which may be a heading.
  private typealias Section = [Substring]

  private static let overviewMark = "OVERVIEW: "
  private static let footerMark = "\n  See '"
  private static let groupMark = " SUBCOMMANDS:"

  private static func split(_ help: Substring) -> [Section] {
    var sections: [Section] = [[]]
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
      if isHead(line) { sections.append([]) }
      sections[sections.count - 1].append(line)
    }
    return sections.map { Section($0.reversed().drop { $0.isEmpty }.reversed()) }
  }

  /// Whether a section starts here: capitals and a colon, in the first column.
  private static func isHead(_ line: Substring) -> Bool {
    let words = line.prefix { $0 != ":" }
    return line.contains(":") && !words.isEmpty && words.allSatisfy { $0.isASCII && ($0.isUppercase || $0 == " ") }
      && words.first != " "
  }

  /// The description without what is the manual's alone, and the examples as their own section.
  private static func parts(ofOverview overview: Section) -> (overview: Section, examples: Section) {
    var paragraphs = overview.split(separator: "", omittingEmptySubsequences: true).map(Section.init)
    paragraphs.removeAll { paragraph in manualOnly.contains { paragraph[0].hasPrefix($0) } }
    let examples = paragraphs.filter { $0[0].hasPrefix("  # ") }
    paragraphs.removeAll { $0[0].hasPrefix("  # ") }
    return (
      Section(paragraphs.joined(separator: [""])),
      examples.isEmpty ? [] : ["EXAMPLES:"] + examples.joined()
    )
  }

  /// A section without the details of its options, which the parser indents by eight spaces.
  private static func withoutDetails(_ section: Section) -> Section {
    section.filter { line in
      let indent = line.prefix { $0 == " " }.count
      return indent != 8 && !line.isEmpty && !line.hasPrefix(footerMark.dropFirst())
    }
  }

  /// The lines about help and version, which every command has, in our words.
  private static func standard(_ section: Section, isRoot: Bool) -> Section {
    section.compactMap { line in
      if line.hasPrefix("  --version ") { return isRoot ? "  -V, --version           Print the version." : nil }
      if line.hasPrefix("  -h, --help ") { return "  -h, --help              Print this help." }
      if line.hasSuffix(groupMark) { return line.dropLast(groupMark.count) + ":" }
      return line == "SUBCOMMANDS:" ? "COMMANDS:" : line
    }
  }

  private static func isStandard(_ line: Substring) -> Bool {
    line.hasPrefix("  -h, --help ") || line.hasPrefix("  -V, --version ")
  }

  /// The place of a section: usage, arguments, own options, then the others as they come.
  private static func rank(_ section: Section) -> Int {
    let heads = ["USAGE: ", "ARGUMENTS:", "OPTIONS:"]
    return heads.firstIndex { section[0].hasPrefix($0) } ?? heads.count
  }

  private static func footer(isRoot: Bool) -> Substring {
    isRoot
      ? "'citiesctl help <command>' describes a command; 'man cities' is an overview."
      : "Add --help to a command for its options."
  }
}
