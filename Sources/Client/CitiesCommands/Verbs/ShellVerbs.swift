/// The shells supported by the scripts in contrib/completions.
enum Shell: String, CaseIterable {
  case bash
  case zsh
  case fish

  /// The script for completion.
  var completion: [UInt8] {
    switch self {
    case .bash: PackageResources.completion_bash
    case .zsh: PackageResources.completion_zsh
    case .fish: PackageResources.completion_fish
    }
  }

  /// The script for the key binding.
  var key: [UInt8] {
    switch self {
    case .bash: PackageResources.key_bash
    case .zsh: PackageResources.key_zsh
    case .fish: PackageResources.key_fish
    }
  }

  /// The shell named `name`.
  ///
  /// - Throws: ``ValidationError`` for an unknown name.
  static func named(_ name: String) throws -> Shell {
    if let shell = Shell(word: name) { return shell }
    throw Choice.refusal("the shell", name, names)
  }

  static var names: [String] { allCases.map(\.rawValue) }
}

/// A command that prints a script for a shell.
protocol ShellVerb: Verb {
  /// The name of the shell.
  var shell: String { get set }

  /// The script to print.
  func script(for shell: Shell) -> [UInt8]
}

extension ShellVerb {
  mutating func declare(in table: inout ArgumentTable) throws {
    shell = table.argument("shell", "bash, zsh or fish.", completion: .choices { Shell.names }, isRequired: true) ?? ""
  }

  mutating func declareCommon(in table: inout ArgumentTable) throws {}
  func validate() throws { _ = try Shell.named(shell) }

  func perform(in context: Context) throws -> ExitStatus {
    context.output.bytes += script(for: try Shell.named(shell))
    return .found
  }
}

/// `completion SHELL`: the shell's script for completion with Tab.
struct CompletionVerb: ShellVerb {
  static let command = CommandText(
    "completion", usage: "<shell>",
    abstract: "Print the script for completion with Tab in bash, zsh or fish.",
    discussion: """
      The Debian packages and 'contrib/build --install' install these scripts. Tab completes commands, options, titles \
      of cities by any name, countries, regions, columns, currencies, products, ids of locations and feeds.

        # Complete with Tab in this shell; add the line to ~/.bashrc for all
        eval "$(citiesctl completion bash)"
        # Save the script for fish
        citiesctl completion fish > ~/.config/fish/completions/citiesctl.fish
      """)

  var shell = ""
  var connection = ConnectionOptions()

  func script(for shell: Shell) -> [UInt8] { shell.completion }
}

/// `shell-init SHELL`: a script for completion, and for a key that inserts a place.
struct ShellInitVerb: ShellVerb {
  static let command = CommandText(
    "shell-init", usage: "<shell>",
    abstract: "Print a script that completes with Tab, and binds Ctrl-X p to 'citiesctl pick'.",
    discussion: """
      Ctrl-X p opens 'citiesctl pick', and inserts the title of the chosen city at the cursor. In ~/.zshrc, \
      put the line after compinit.

        # Add this line to ~/.bashrc
        eval "$(citiesctl shell-init bash)"
        # Save the script for zsh, which ~/.zshrc may source
        citiesctl shell-init zsh > citiesctl.zsh
        # Save the script for fish
        citiesctl shell-init fish > ~/.config/fish/conf.d/citiesctl.fish
      """)

  var shell = ""
  var connection = ConnectionOptions()

  func script(for shell: Shell) -> [UInt8] { shell.completion + [UInt8(ascii: "\n")] + shell.key }
}
