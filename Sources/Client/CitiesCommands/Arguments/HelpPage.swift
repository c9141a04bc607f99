internal import Text

/// The help of a command: each option on a line, its own before those that it shares with others, and examples last.
///
/// `--help` prints what fits a screen: one paragraph, a few examples, and the names of the options that most commands
/// have. `citiesctl help COMMAND` prints all of it where the manual is not installed, which alone has the details.
struct HelpPage {
  /// Paragraphs of a description that are in the manual alone.
  static let manualOnly = ["Exit status:", "Environment:", "Files:"]
  /// The headings of options that most commands have.
  private static let common = [OutputOptions.title, ConnectionOptions.title]
  /// The largest number of examples on a screen.
  private static let maximumExamples = 2
  private static let width = 80
  private static let column = 26

  /// The page, without the last line's end.
  let text: String

  /// The page of a command, of a group, or of the program: the whole of it, or what fits a screen.
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

  /// A page with its headings, and the comments of its examples, in their looks.
  static func painted(_ page: String, _ colours: Colours) -> String {
    page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.hasPrefix("  # ") { return colours.painted(line, .head) }
      let heading = line.prefix { $0.isUppercase || $0 == " " }
      let rest = line.dropFirst(heading.count)
      return rest.hasPrefix(":") && !heading.hasPrefix(" ") ? colours.painted(heading, .title) + rest : String(line)
    }.joined(separator: "\n")
  }

  private static let help = (label: "-h, --help", summary: "Print this help.")

  /// The options of `table`; of those under `common` headings only the names.
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

  /// A paragraph in lines; one whose lines are indented stays as it is.
  private static func filled(_ paragraph: String) -> String {
    paragraph.hasPrefix("  ") ? paragraph : wrapped(paragraph, width: width, indent: "").joined(separator: "\n")
  }
}

/// What `citiesctl` without any words prints: what people want to do, each as a command to type.
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
