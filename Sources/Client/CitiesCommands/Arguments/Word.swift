internal import ArgumentParser

/// A free text on the command line.
struct Word: ExpressibleByArgument, Equatable {
  /// The text as it was typed.
  var text: String

  /// Takes off what ``ArgumentRewriter`` put in front.
  init(argument: String) { text = ArgumentRewriter.unmarked(argument) }
}
