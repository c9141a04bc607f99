package import ArgumentParser

/// `pick [PREFIX]`: a city chosen on the full screen.
package struct PickVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "pick", usage: "[<options>] [<prefix>]",
    abstract: "Choose a city on a full screen, and print it.",
    discussion: """
      The screen is on the terminal of the process, so that standard output can be taken by a script. Enter prints the \
      selected city as a row, as 'search' does; Esc and Ctrl-C leave without (exit status 130).

        city=$(citiesctl pick --columns title par) && echo "to $city"
      """)

  @Argument(help: "What the filter begins with.", completion: .custom(TitleCompletion.complete))
  var typed: Word?

  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// What the filter begins with.
  package var prefix: String { typed?.text ?? "" }

  /// For the parser.
  package init() {}
}
