import System
import Testing

@testable import FeedSync

/// What a program prints or throws whose command throws what it was given.
private func outcome(_ words: String...) -> String { outcome(words) }

private func outcome(_ words: [String]) -> String {
  var printed = ""
  let command = SyncCommand(
    "copy", "Copy files.",
    [
      .flag("--force", "Replace.", details: "Always."), .option("--mode", "bits", "The mode."),
      .argument("from", "The file."), .argument("to", "The targets.", isRequired: false, isRepeating: true),
    ]
  ) { words in
    throw UsageError("\(words.arguments) \(words[option: "--force"] ?? "-") \(words[option: "--mode"] ?? "-")")
  }
  let program = SyncCommand("tool", "Do it.", commands: [SyncCommand("file", "Files.", commands: [command])])
  do {
    _ = try program.perform(words, version: "tool 1") { printed = $0 }
    return printed
  } catch {
    return "\(error)"
  }
}

@Suite("Command lines of the sync service")
struct SyncCommandTests {
  @Test func `options and arguments are in any order, and after two hyphens all are arguments`() {
    #expect(outcome("file", "copy", "a", "--force", "b", "--mode", "6", "c") == #"["a", "b", "c"]  6"#)
    #expect(outcome("file", "copy", "--mode=-r", "--mode=--x", "-", "--", "--force") == #"["-", "--force"] - --x"#)
  }

  @Test(arguments: [
    (["file", "copy"], "missing argument '<from>'"), (["file", "copy", "--mode"], "missing value for '--mode <bits>'"),
    (["file", "copy", "--mode", "--force"], "missing value for '--mode <bits>'"),
    (["file", "copy", "--force=1", "a"], "--force takes no value"),
    (["file", "copy", "--farce"], "unknown option '--farce'; did you mean '--force'?"),
    (["file", "move"], "there is no command 'move'; there are copy"), (["-x"], "unknown option '-x'"),
    (["help", "x"], "there is no command 'x'; there are file"),
  ])
  func `wrong use is an error`(words: [String], message: String) { #expect(outcome(words) == message) }

  @Test func `help is that of the command that is named`() {
    let help = outcome("file", "copy", "-h")
    #expect(help == outcome("help", "file", "copy") && outcome("--version", "file") == "tool 1")
    #expect(
      help == """
        OVERVIEW: Copy files.

        USAGE: tool file copy [--force] [--mode <bits>] <from> [<to> ...]

        ARGUMENTS:
          <from>                  The file.
          <to>                    The targets.

        OPTIONS:
          --force                 Replace.
                Always.
          --mode <bits>           The mode.
          --version               Show the version.
          -h, --help              Show help information.
        """)
    #expect(outcome("help", "file").hasSuffix("  See 'tool help file <subcommand>' for detailed help."))
  }
}
