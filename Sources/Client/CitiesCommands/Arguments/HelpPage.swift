internal import Text

/// The help of a command: one line per option, its own before the common ones, and examples last.
///
/// `--help` prints a page that fits a screen: one paragraph, a few examples, and only the names of common options.
/// `citiesctl help COMMAND` prints the whole page if the manual, which also has the details, is not installed.
struct HelpPage {
  /// The paragraphs of a description that only the manual has.
  static let manualOnly = ["Exit status:", "Environment:", "Files:"]
  /// The headings of common options.
  private static let common = [OutputOptions.title, ConnectionOptions.title]
  /// The maximum number of examples on a short page.
  private static let maximumExamples = 2
  private static let width = 80
  private static let column = 26

  /// The page, without a final line feed.
  let text: String

  /// The page of a command, of a group or of the program: the whole page, or a short one that fits a screen.
  init(_ named: NamedCommand, isWhole: Bool) {
    let text = named.text
    let paragraphs = text.discussion.split(separator: "\n\n").map(String.init)
    let examples = paragraphs.filter { $0.hasPrefix("  # ") }.flatMap { $0.split(separator: "\n") }
    let described = paragraphs.filter { paragraph in
      !paragraph.hasPrefix("  # ") && !Self.manualOnly.contains { paragraph.hasPrefix($0) }
    }
    let usage = text.forms.map { "\(text.fullName) \($0)" }.joined(separator: "\n       ")
    let isRoot = named.verb == nil && named.group == nil
    let shown = isWhole ? described[...] : described.prefix(isRoot ? 0 : 1)
    var sections = ([text.abstract] + shown).map(Self.filled) + ["USAGE: \(usage)"]
    if let verb = named.verb {
      let common = isWhole ? [] : Self.common + (named.group == nil ? [] : [MapOptions.title])
      sections += Self.sections(of: ArgumentTable(of: verb), common)
    } else if let group = named.group {
      sections.append(Self.section("Commands", group.verbs.map { ($0.name, $0.command.abstract) }))
    } else {
      sections += Citiesctl.sections.map { title, commands in
        Self.section(title, commands.map { ($0.name, $0.abstract) })
      }
    }
    if isRoot { sections.append(Self.section("Help", [("-V, --version", "Print the version."), Self.help])) }
    var number = 0
    let tried = examples.prefix { line in
      if line.hasPrefix("  # ") { number += 1 }
      return isWhole || number <= Self.maximumExamples
    }
    if !tried.isEmpty { sections.append("EXAMPLES:\n" + tried.joined(separator: "\n")) }
    if isRoot {
      sections.append("'citiesctl help <command>' describes a command; 'man cities' is an overview.")
    } else if named.verb == nil {
      sections.append("Add --help to a command for its options.")
    } else if !isWhole {
      sections.append("'citiesctl help \(text.fullName.dropFirst(CommandText.program.count + 1))' says more.")
    }
    self.text = sections.joined(separator: "\n\n")
  }

  /// Colours the headings of a page and the comments of its examples.
  static func painted(_ page: String, _ colours: Colours) -> String {
    page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.hasPrefix("  # ") { return colours.painted(line, .head) }
      let heading = line.prefix { $0.isUppercase || $0.is(" ") }
      let rest = line.dropFirst(heading.count)
      return rest.hasPrefix(":") && !heading.hasPrefix(" ") ? colours.painted(heading, .title) + rest : String(line)
    }.joined(separator: "\n")
  }

  private static let help = (label: "-h, --help", summary: "Print this help.")

  /// The options of `table`; for those under `common` headings, only the names.
  private static func sections(of table: ArgumentTable, _ common: [String?]) -> [String] {
    let options = table.options.filter { !common.contains($0.section) }
    var titles: [String?] = []
    for option in options where !titles.contains(option.section) { titles.append(option.section) }
    // A command's own options come first, wherever it declares them.
    titles.sort { $0 == nil && $1 != nil }
    let ofArguments =
      table.arguments.isEmpty ? [] : [section("Arguments", table.arguments.map { ($0.label, $0.summary) })]
    let described = titles.map { title in
      section(title ?? "Options", options.filter { $0.section == title }.map { ($0.label, $0.summary) })
    }
    let names = table.options.filter { common.contains($0.section) }.map(\.name) + ["--help"]
    let named = wrapped("COMMON OPTIONS: " + names.joined(separator: " "), width: width, indent: "  ")
    return ofArguments + described + [common.isEmpty ? section("Help", [help]) : named.joined(separator: "\n")]
  }

  private static func section(_ title: String, _ rows: [(label: String, summary: String)]) -> String {
    let lines = rows.map { label, summary in
      let lines = wrapped(summary, width: width - column, indent: "")
      let text = lines.joined(separator: "\n" + String(repeating: " ", count: column))
      let space = column - 2 - label.count
      let gap = space > 0 ? String(repeating: " ", count: space) : "\n" + String(repeating: " ", count: column)
      return "  \(label)\(gap)\(text)"
    }
    return "\(title.uppercased()):\n" + lines.joined(separator: "\n")
  }

  /// Wraps a paragraph, unless its lines are indented.
  private static func filled(_ paragraph: String) -> String {
    paragraph.hasPrefix("  ") ? paragraph : wrapped(paragraph, width: width, indent: "").joined(separator: "\n")
  }
}

/// The output of `citiesctl` without arguments: common tasks, each with a command to type.
enum TaskOverview {
  /// At most 20 lines of at most 80 characters.
  static let text = """
    citiesctl looks up cities, bank branches, products and exchange rates.

      citiesctl find kyiv                     find a city by a name in any language
      citiesctl time kyiv                     show the local time there
      citiesctl near kyiv                     list the cities around it
      citiesctl search --all -o csv new       list all cities that start with "new"
      citiesctl map kyiv                      draw a map of its surroundings
      citiesctl map -o svg iceland > is.svg   draw a country, as a picture
      citiesctl bank near tallinn --open-now  find open branches and cash machines
      citiesctl product show T2006 --in USD   add up a product's transactions
      citiesctl rate convert 12.50 USD EUR    convert an amount
      citiesctl browse                        browse all of it full screen
      citiesctl status                        show which data there is, and its age

    'citiesctl --help' lists all commands, 'citiesctl help COMMAND' explains one.
    """
}
