/// The words of this process's command line.
enum SystemArguments {
  /// The words behind the program's name.
  ///
  /// The standard library would quietly repair what is no UTF-8, and a search for the repaired text would be a search
  /// for something else.
  static func read() throws(CommandFailure) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      guard let word = String(validatingCString: pointer) else {
        throw CommandFailure(.badData, code: "bad-data", "argument \(index) is not valid UTF-8")
      }
      words.append(word)
    }
    return words
  }
}
