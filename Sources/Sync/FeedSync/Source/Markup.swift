import Text

/// Texts of web pages in lists of places: tags and character references of HTML.
enum Markup {
  /// Most bytes of a tag or a reference.
  private static let longest = 200

  /// `text` without tags, of which those that begin a line are line breaks, and with its references resolved.
  ///
  /// A reference that is escaped twice, `&amp;nbsp;`, is resolved too; a comment is removed. Anything else stays as it
  /// is: `a < b`, `AT&T`, unusual tags and unknown references.
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
    if text.starts(with: "!--".utf8) {
      return text.prefix(longest).firstRange(of: "-->".utf8).map { $0.upperBound - 1 }
    }
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
    if content.first == UInt8(ascii: "!") { return "" }
    let tag = content.first == UInt8(ascii: "/") ? content.dropFirst() : content
    let word = tag.prefix { isAlphanumeric($0) || $0 == UInt8(ascii: ":") }
    guard tag.dropFirst(word.count).first.map({ " /\n\t".utf8.contains($0) }) ?? true else { return nil }
    return tags[String(decoding: word, as: UTF8.self).lowercased()]
  }

  /// The replacements of tags by name: the elements of HTML that people put into texts.
  private static let tags: [TextKey: String] = {
    let lines = """
      address article blockquote br caption center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header \
      hr li main nav ol option p pre section table tbody tfoot thead tr ul
      """
    let inline = """
      a abbr acronym b bdi bdo big button cite code del dfn em font i img input ins kbd label mark nobr o:p q s samp \
      small span strike strong sub sup td th time tt u var wbr
      """
    let pairs = [(lines, "\n"), (inline, "")].flatMap { names, text in
      names.split(separator: " ").map { (TextKey($0), text) }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  /// The character of a reference: `amp`, `auml`, `#228`, `#xE4`.
  private static func character(_ bytes: ArraySlice<UInt8>) -> String? {
    let content = String(decoding: bytes, as: UTF8.self)
    guard bytes.first == UInt8(ascii: "#") else { return named[content] ?? letter(content) }
    let digits = content.dropFirst()
    let isHexadecimal = digits.utf8.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    guard let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits) else { return nil }
    // The control characters from 128 on stand for those of windows-1252 (HTML, section 13.2.5.80).
    if 0x80..<0xA0 ~= code, let text = windows?.utf8([UInt8(code)]) { return String(decoding: text, as: UTF8.self) }
    return code < 0x20 && code != 9 && code != 10 && code != 13 ? nil : Unicode.Scalar(code).map { String($0) }
  }

  private static let windows = Charset("windows-1252")

  /// The letter of a name such as `Scaron`: a letter with a mark.
  private static func letter(_ name: String) -> String? {
    guard let base = name.unicodeScalars.first, let mark = marks[String(name.unicodeScalars.dropFirst())] else {
      return nil
    }
    let letter = CaseFolder().composed(String(String.UnicodeScalarView([base, mark])))
    return letter.unicodeScalars.count == 1 ? letter : nil
  }

  private static let marks: [TextKey: Unicode.Scalar] = [
    "grave": "\u{300}", "acute": "\u{301}", "circ": "\u{302}", "tilde": "\u{303}", "macr": "\u{304}",
    "breve": "\u{306}", "dot": "\u{307}", "uml": "\u{308}", "ring": "\u{30A}", "dblac": "\u{30B}",
    "caron": "\u{30C}", "cedil": "\u{327}", "ogon": "\u{328}",
  ]

  /// The characters by name that are not a letter with a mark: those of HTML 4, without mathematics, and the usual ones
  /// of HTML 5.
  private static let named: [TextKey: String] = {
    let signs = """
      nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
      micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
      """
    let greek = """
      Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigmaf Sigma Tau Upsilon \
      Phi Chi Psi Omega
      """
    let spaces = [("ensp", 0x2002), ("emsp", 0x2003), ("thinsp", 0x2009), ("zwnj", 0x200C), ("zwj", 0x200D)]
    let others = """
      amp & lt < gt > quot " apos ' ndash – mdash — horbar ― minus − dash ‐ hyphen ‐ hellip … lsquo ‘ rsquo ’ sbquo ‚ \
      ldquo “ rdquo ” bdquo „ lsaquo ‹ rsaquo › bull • prime ′ Prime ″ permil ‰ dagger † euro € trade ™ numero № \
      larr ← rarr → AElig Æ aelig æ ETH Ð eth ð Oslash Ø oslash ø times × divide ÷ THORN Þ thorn þ szlig ß OElig Œ \
      oelig œ Lstrok Ł lstrok ł Dstrok Đ dstrok đ imath ı inodot ı sdot ⋅ odot ⊙ comma , period . colon : semi ; sol / \
      lpar ( rpar ) num # excl ! quest ? commat @ plus + lowbar _
      """.split(separator: " ")
    var named: [TextKey: String] = ["Tab": "\t", "NewLine": "\n"]
    func add(_ name: some StringProtocol, _ code: Int) {
      named[TextKey(name)] = Unicode.Scalar(UInt32(code)).map { String($0) }
    }
    for (code, name) in zip(0xA0..., signs.split(separator: " ")) { add(name, code) }
    for (code, name) in zip(0x391..., greek.split(separator: " ")) {
      add(name, code)
      add(name.lowercased(), code + 0x20)
    }
    for (name, code) in spaces { add(name, code) }
    for index in stride(from: 0, to: others.count - 1, by: 2) {
      named[TextKey(others[index])] = String(others[index + 1])
    }
    return named
  }()
}
