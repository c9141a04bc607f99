/// One `import` of a Swift file.
struct ImportLine: Equatable {
  /// The module, without the declaration or submodule that may follow it.
  var module: String
  /// The line it stands on, from 1 up.
  var line: Int
}

/// Finds the imports of Swift source text.
///
/// It knows as much of the grammar as imports need: comments and string literals are passed over, attributes and
/// access levels may stand before the keyword, a kind (`struct`, `func`, …) and a path after it. Conditions are not
/// evaluated: an import below `#if` counts, because some build will compile it.
enum ImportScanner {
  private static let kinds: Set = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func", "actor"]

  /// The imports of `source` in order.
  ///
  /// - Complexity: O(length of the source).
  static func imports(in source: String) -> [ImportLine] {
    var found: [ImportLine] = []
    for (index, line) in codeLines(of: source).enumerated() {
      for statement in line.split(separator: ";") {
        guard let module = importedModule(in: statement) else { continue }
        found.append(ImportLine(module: module, line: index + 1))
      }
    }
    return found
  }

  /// The module that a statement imports; `nil` for any other statement.
  private static func importedModule(in statement: Substring) -> String? {
    let words = statement.split(whereSeparator: \.isWhitespace)
    guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count else { return nil }
    guard words[..<keyword].allSatisfy(mayPrecedeImport) else { return nil }
    let first = words[keyword + 1]
    let path = kinds.contains(String(first)) && keyword + 2 < words.count ? words[keyword + 2] : first
    return path.split(separator: ".").first.map(String.init)
  }

  private static func mayPrecedeImport(_ word: Substring) -> Bool {
    word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
  }

  /// The source's lines with comments and string literals blanked out.
  private static func codeLines(of source: String) -> [String] {
    var stripper = Stripper()
    return source.split(separator: "\n", omittingEmptySubsequences: false).map { stripper.code(of: $0) }
  }

  /// Blanks comments and literals line by line; remembers which of them is open at a line's end.
  private struct Stripper {
    private var commentDepth = 0
    private var isInText = false

    mutating func code(of line: Substring) -> String {
      var code = ""
      var rest = line
      while let character = rest.first {
        if commentDepth > 0 {
          skipComment(&rest)
        } else if rest.hasPrefix("\"\"\"") {
          isInText.toggle()
          rest = rest.dropFirst(3)
        } else if isInText {
          rest = rest.dropFirst()
        } else if rest.hasPrefix("//") {
          return code
        } else if rest.hasPrefix("/*") {
          commentDepth = 1
          rest = rest.dropFirst(2)
        } else if character == "\"" {
          rest = afterString(rest)
        } else {
          code.append(character)
          rest = rest.dropFirst()
        }
      }
      return code
    }

    private mutating func skipComment(_ rest: inout Substring) {
      if rest.hasPrefix("/*") {
        commentDepth += 1
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("*/") {
        commentDepth -= 1
        rest = rest.dropFirst(2)
      } else {
        rest = rest.dropFirst()
      }
    }

    /// What follows the one-line literal that `rest` begins with.
    private func afterString(_ rest: Substring) -> Substring {
      var rest = rest.dropFirst()
      while let character = rest.first, character != "\"" {
        rest = rest.dropFirst(character == "\\" ? 2 : 1)
      }
      return rest.dropFirst()
    }
  }
}
