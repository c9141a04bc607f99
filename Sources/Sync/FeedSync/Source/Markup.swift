/// Texts of web pages in lists of places: tags and character references of HTML.
enum Markup {
  /// Most bytes of a tag or a reference.
  private static let longest = 200

  /// `text` without tags, of which those that begin a line are line breaks, and with its references resolved.
  ///
  /// A reference that is escaped twice, `&amp;nbsp;`, is resolved too. Anything else stays as it is: `a < b`, `AT&T`,
  /// unusual tags and unknown references.
  ///
  /// - Complexity: O(bytes of `text`).
  static func plain(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return text }
    var (plain, rest) = ("", Substring(text))
    while let mark = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
      plain += rest[..<mark]
      rest = rest[mark...]
      let isTag = rest.utf8.first == UInt8(ascii: "<")
      let end = rest.utf8.prefix(longest).firstIndex(of: isTag ? UInt8(ascii: ">") : UInt8(ascii: ";"))
      let meaning = end.flatMap { end in
        let content = rest[rest.utf8.index(after: mark)..<end]
        return isTag ? breakOfTag(content) : character(content)
      }
      rest = rest[rest.utf8.index(after: meaning == nil ? mark : end ?? mark)...]
      // Some sources escape twice.
      let again = isTag || !meaning.is("&") ? nil : rest.utf8.prefix(longest).firstIndex(of: UInt8(ascii: ";"))
      if let again, let twice = character(rest[..<again]) {
        plain += twice
        rest = rest[rest.utf8.index(after: again)...]
      } else {
        plain += meaning ?? (isTag ? "<" : "&")
      }
    }
    return plain + rest
  }

  /// The replacement of the tag with this content: a line break or nothing; `nil` for an unusual tag.
  private static func breakOfTag(_ content: Substring) -> String? {
    let tag = content.utf8.first == UInt8(ascii: "/") ? content.dropFirst() : content
    let name = tag.prefix { char in
      char.unicodeScalars.count == 1 && char.isASCII && (char.isLetter || char.isNumber)
    }.lowercased()
    let next = tag.utf8.dropFirst(name.utf8.count).first
    guard next.map({ " /\n\t".utf8.contains($0) }) ?? true else { return nil }
    if ["br", "p", "div", "li", "ul", "tr", "h1", "h2", "h3"].contains(name) { return "\n" }
    return ["a", "b", "i", "u", "em", "strong", "span", "font", "small", "sup", "img", "td"].contains(name) ? "" : nil
  }

  /// The character of a reference: `amp`, `#228`, `#xE4`.
  private static func character(_ content: Substring) -> String? {
    guard content.utf8.first == UInt8(ascii: "#") else { return named[String(content)] }
    let digits = content.dropFirst()
    let isHexadecimal = digits.utf8.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return code.flatMap { $0 < 0x20 && $0 != 9 && $0 != 10 && $0 != 13 ? nil : Unicode.Scalar($0) }.map { String($0) }
  }

  /// The characters by name: those of HTML 4 from U+00A0 to U+00FF, the usual signs, and the letters of this region.
  private static let named: [TextKey: String] = {
    let latin = """
      nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
      micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
      Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
      Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
      ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
      uuml yacute thorn yuml
      """
    let others = """
      amp & lt < gt > quot " apos ' ndash – mdash — hellip … lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ bull • \
      euro € Scaron Š scaron š Zcaron Ž zcaron ž Ccaron Č ccaron č Amacr Ā amacr ā Emacr Ē emacr ē Imacr Ī imacr ī \
      Umacr Ū umacr ū Aogon Ą aogon ą Eogon Ę eogon ę Iogon Į iogon į Uogon Ų uogon ų Edot Ė edot ė Gcedil Ģ \
      Kcedil Ķ kcedil ķ Lcedil Ļ lcedil ļ Ncedil Ņ ncedil ņ
      """.split(separator: " ")
    var named: [TextKey: String] = [:]
    for (code, name) in zip(UInt32(0xA0)..., latin.split(separator: " ")) {
      named[TextKey(name)] = Unicode.Scalar(code).map { String($0) }
    }
    for index in stride(from: 0, to: others.count - 1, by: 2) {
      named[TextKey(others[index])] = String(others[index + 1])
    }
    return named
  }()
}
