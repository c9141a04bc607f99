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
    let isMark = { (byte: UInt8) in byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") }
    guard text.utf8.contains(where: isMark) else { return text }
    var (plain, rest) = ([UInt8](), Array(text.utf8)[...])
    while let mark = rest.firstIndex(where: isMark) {
      plain += rest[..<mark]
      let (isTag, content) = (rest[mark] == UInt8(ascii: "<"), rest[(mark + 1)...])
      let end = isTag ? endOfTag(content) : endOfReference(content)
      let meaning = end.flatMap { isTag ? breakOfTag(content[..<$0]) : character(content[..<$0]) }
      rest = rest[((meaning == nil ? mark : end ?? mark) + 1)...]
      // Some sources escape twice.
      let again = isTag || !meaning.is("&") ? nil : endOfReference(rest)
      if let again, let twice = character(rest[..<again]) {
        plain += twice.utf8
        rest = rest[(again + 1)...]
      } else {
        plain += (meaning ?? (isTag ? "<" : "&")).utf8
      }
    }
    return String(decoding: plain + rest, as: UTF8.self)
  }

  /// Where a tag ends, from the byte after its start on; `nil` if another one starts before: no byte is read often.
  private static func endOfTag(_ text: ArraySlice<UInt8>) -> Int? {
    let end = text.prefix(longest).firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
    return end.flatMap { text[$0] == UInt8(ascii: ">") ? $0 : nil }
  }

  /// Where a reference ends, from the byte after its start on; `nil` if it is none.
  private static func endOfReference(_ text: ArraySlice<UInt8>) -> Int? {
    let end = text.prefix(longest).firstIndex { !isAlphanumeric($0) && $0 != UInt8(ascii: "#") }
    return end.flatMap { text[$0] == UInt8(ascii: ";") ? $0 : nil }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
  }

  /// The replacement of the tag with this content: a line break or nothing; `nil` for an unusual tag.
  private static func breakOfTag(_ content: ArraySlice<UInt8>) -> String? {
    let tag = content.first == UInt8(ascii: "/") ? content.dropFirst() : content
    let word = tag.prefix(while: isAlphanumeric)
    guard tag.dropFirst(word.count).first.map({ " /\n\t".utf8.contains($0) }) ?? true else { return nil }
    let name = String(decoding: word, as: UTF8.self).lowercased()
    if ["br", "p", "div", "li", "ul", "tr", "h1", "h2", "h3"].contains(name) { return "\n" }
    return ["a", "b", "i", "u", "em", "strong", "span", "font", "small", "sup", "img", "td"].contains(name) ? "" : nil
  }

  /// The character of a reference: `amp`, `#228`, `#xE4`.
  private static func character(_ bytes: ArraySlice<UInt8>) -> String? {
    let content = String(decoding: bytes, as: UTF8.self)
    guard bytes.first == UInt8(ascii: "#") else { return named[content] }
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
