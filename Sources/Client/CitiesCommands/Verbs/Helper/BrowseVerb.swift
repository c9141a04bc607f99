package import ArgumentParser

/// `browse [PREFIX]`: the full screen.
package struct BrowseVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "browse", usage: "[<options>] [<prefix>]",
    abstract: "Look around on a full screen.",
    discussion: """
      What is typed filters the list with every key; Enter shows details, Esc goes back, '?' or F1 shows the keys, and \
      'q' or Ctrl-C leaves. The screen is on the terminal of the process, whatever standard output is.

        citiesctl browse
        citiesctl browse 'new y'
      """)

  @Argument(help: "What the filter begins with.", completion: .custom(TitleCompletion.complete))
  var typed: Word?

  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// What the filter begins with.
  package var prefix: String { typed?.text ?? "" }

  /// For the parser.
  package init() {}
}
