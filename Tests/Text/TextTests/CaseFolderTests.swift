import CUTF8Proc
import Glibc
import TestSupport
import Testing
import Text

@Suite("folding")
struct CaseFolderTests {
  @Test(
    arguments: [
      ("", ""), ("Alba", "alba"), ("AZ[@`az{", "az[@`az{"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("ẞ", "ss"),
      ("İ", "i\u{307}"), ("I", "i"), ("ı", "ı"), ("Σίσυφος", "σίσυφοσ"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
      ("Sa\u{303}o", "s\u{E3}o"), ("SÃO", "s\u{E3}o"), ("A\u{30A}", "\u{E5}"), ("\u{212B}", "\u{E5}"),
      ("\u{C5}", "\u{E5}"),
      ("ﬁ", "fi"), ("Ǆ", "ǆ"), ("ŉ", "ʼn"), ("\u{1F88}", "\u{1F00}ι"), ("e\u{301}\u{323}", "ẹ\u{301}"),
      ("e\u{323}\u{301}", "ẹ\u{301}"), ("괴내", "괴내"), ("\u{1100}\u{1161}", "가"), ("日本", "日本"), ("𐐀", "𐐨"),
    ])
  func `case folds by the full default folding, then NFC`(text: String, expected: String) {
    #expect(CaseFolder().folded(text, .plain) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ("São Paulo", "sao paulo"), ("Łódź", "lodz"), ("Ærøskøbing", "aeroskobing"), ("Þórshöfn", "thorshofn"),
      ("Đurđevac", "durdevac"), ("Miðgarðar", "midgardar"), ("Ħal-Bajjada", "hal-bajjada"), ("Karaçalı", "karacali"),
      ("İzmir", "izmir"), ("Nœux", "noeux"), ("Gəncə", "gence"), ("Ŧŋ", "tn"), ("Dovol’noye", "dovol'noye"),
      ("‘Ajmān", "'ajman"), ("Okiʻanaʼ", "oki'ana'"), ("Å", "a"), ("Straße", "strasse"), ("괴내", "괴내"), ("й", "и"),
      ("\u{301}", ""), ("ascii", "ascii"), ("Ǿ", "o"),
    ])
  func `base letters lose marks, and letters without a decomposition become those of the table`(
    text: String, expected: String
  ) {
    #expect(CaseFolder().folded(text, .baseLetters) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ("", ""), ("-", ""), ("São  Paulo", "sao paulo"), ("Saint-Étienne", "saint etienne"), ("St. John’s", "st johns"),
      ("N.Y.", "ny"), ("Côte d'Ivoire", "cote divoire"), ("  Łódź, PL ", "lodz pl"), ("ﬁ Ⅳ ½", "fi iv 1 2"),
      ("co\u{AD}op", "coop"), ("कि\u{200D}", "कि"), ("뉴욕", "\u{1102}\u{1172}\u{110B}\u{116D}\u{11A8}"),
      ("ｔｏｋｙｏ", "tokyo"),
      ("東京", "東京"), ("東京都／新宿", "東京都 新宿"), ("Straße", "strasse"), ("_a_", "a"), ("A\u{301}", "a"), ("`Ewa", "ewa"),
      ("Akʹ", "ak"), ("תל־אביב״יפו׳", "תל אביביפו"), ("ニュー・ヨーク", "ニューヨーク"),
      ("تهران ی ى", "تهران ي ي"), ("ك ک", "ك ك"), ("مدينة ە ھ ہ ۂ", "مدينه ه ه ه ه"), ("é", "e"), ("a\u{300}-", "a"),
      ("(b)", "b"),
    ])
  func `words are base letters and digits in compatibility decomposition, with one space between`(
    text: String, expected: String
  ) {
    #expect(CaseFolder().folded(text, .words) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ("バリ", "ハ\u{3099}リ"), ("ﾊﾞﾘ", "ハ\u{3099}リ"), ("パリ", "ハ\u{309A}リ"), ("नागोया", "नागोया"), ("க்", "க்"),
      ("ก\u{E48}\u{E38}", "ก\u{E38}\u{E48}"), ("ភ្នំពេញ", "ភ្នំពេញ"), ("މާލެ", "މާލެ"), ("क़", "क\u{93C}"),
      ("Ά", "α"), ("й", "и"), ("תֵּל", "תל"), ("مَدِينَة", "مدينه"), ("a\u{20DD}", "a"), ("葛\u{E0100}", "葛"),
      ("ハ゛", "ハ \u{3099}"),
    ])
  func `marks that carry sound stay in words, in one order; optional ones do not`(text: String, expected: String) {
    #expect(CaseFolder().folded(text, .words) == Array(expected.utf8))
  }

  @Test func `ASCII words are those of the tables`() {
    let folder = CaseFolder()
    for first in UInt8(0)..<0x80 {
      for second in UInt8(0)..<0x80 {
        let text = String(decoding: [first, second], as: UTF8.self)
        let slow = folder.folded("ж" + text + "ж", .words).dropFirst(2).dropLast(2)
        let fast = folder.folded("a" + text + "a", .words).dropFirst().dropLast()
        #expect(fast == slow, "\(first) \(second)")
      }
    }
  }

  @Test func `every ASCII text of one and two characters folds as the tables would, on either side of the fast path`() {
    let folder = CaseFolder()
    for first in UInt8(0)..<0x80 {
      for second in UInt8(0)..<0x80 {
        let text = String(decoding: [first, second], as: UTF8.self)
        // After a letter that is not ASCII the same characters take the slow path.
        let slow = folder.folded("ж" + text, .plain).dropFirst(2)
        #expect(folder.folded(text, .plain) == Array(slow))
      }
    }
  }

  @Test(arguments: FoldMode.allCases)
  func `folding twice is folding once, for seeded scalars of all planes`(mode: FoldMode) {
    let folder = CaseFolder()
    for seed in 0..<4_000 {
      let text = randomText(UInt64(seed))
      let once = String(decoding: folder.folded(text, mode), as: UTF8.self)
      #expect(folder.folded(once, mode) == Array(once.utf8), "\(text.unicodeScalars.map(\.value))")
    }
  }

  @Test
  func `the plain folding is utf8proc's own with STABLE, COMPOSE and CASEFOLD, for seeded scalars of all planes`() {
    let folder = CaseFolder()
    for seed in 10_000..<14_000 {
      let text = randomText(UInt64(seed))
      #expect(folder.folded(text, .plain) == mapped(text), "\(text.unicodeScalars.map(\.value))")
    }
  }

  @Test func `every assigned form of a letter folds alike: upper, lower, decomposed`() {
    let folder = CaseFolder()
    for value in UInt32(0xC0)..<0x250 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let folded = folder.folded(String(scalar), .plain)
      // İ and ı belong to Turkish; ƛ has had an upper case since Unicode 16 only, which utf8proc may not know yet.
      guard ![0x130, 0x131, 0x19B].contains(value) else { continue }
      #expect(folder.folded(scalar.properties.uppercaseMapping, .plain) == folded, "\(scalar)")
      #expect(folder.folded(scalar.properties.lowercaseMapping, .plain) == folded, "\(scalar)")
    }
  }

  @Test(
    arguments: [
      [0x80], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xFF], [0xE2, 0x82],
      [0xF8, 0x88],
    ] as [[UInt8]])
  func `bytes that are no UTF-8 have no folded form`(bytes: [UInt8]) {
    let folder = CaseFolder()
    for mode in FoldMode.allCases {
      bytes.withUnsafeBytes { #expect(folder.fold($0, mode) == nil) }
    }
    #expect(folder.folded("É", .plain) == Array("é".utf8), "the folder still works")
  }

  @Test func `seeded bytes fold exactly if they are valid, and never trap`() {
    let folder = CaseFolder()
    var random = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0x20...0xFF, using: &random)
      }
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      bytes.withUnsafeBytes { #expect((folder.fold($0, .baseLetters) != nil) == isValid) }
    }
  }

  @Test(
    arguments: [
      String(repeating: "\u{301}", count: 16_384) + String(repeating: "\u{323}", count: 16_384),
      String(repeating: "\u{390}", count: 32_768), String(repeating: "\u{1D160}", count: 16_384),
      String(repeating: "ﬃ", count: 21_000), String(repeating: "æ", count: 32_768),
      String(repeating: "A", count: 65_536),
    ])
  func `64 KiB of the worst fold in linear time and keep their order`(text: String) {
    let folder = CaseFolder()
    let begin = processorTime()
    for mode in FoldMode.allCases { _ = folder.folded(text, mode) }
    #expect(processorTime() - begin < 2_000_000_000, "sorting marks by neighbours takes longer")
  }

  @Test(arguments: [2, 16, 17, 40, 300])
  func `a long run of marks is ordered by class and stably, as a short one is`(count: Int) {
    let marks: [Unicode.Scalar] = ["\u{301}", "\u{323}", "\u{334}", "\u{345}", "\u{300}", "\u{5B0}"]
    var random = SeededGenerator(seed: UInt64(count))
    let run = (0..<count).map { _ in marks.randomElement(using: &random) ?? "\u{301}" }
    let text = run.reduce(into: "q") { $0.unicodeScalars.append($1) }
    let sorted = run.enumerated().sorted {
      let classes = ($0.element.properties.canonicalCombiningClass, $1.element.properties.canonicalCombiningClass)
      return classes.0 == classes.1 ? $0.offset < $1.offset : classes.0 < classes.1
    }
    let expected = sorted.reduce(into: "q") { $0.unicodeScalars.append($1.element) }
    #expect(Array(CaseFolder().composed(text).utf8) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ("ascii", "ascii"), ("", ""), ("e\u{301}", "é"), ("É", "É"), ("\u{212B}", "\u{C5}"), ("Σς", "Σς"), ("ﬁ", "ﬁ"),
      ("\u{1100}\u{1161}\u{11A8}", "각"), ("e\u{301}\u{323}", "ẹ\u{301}"), ("\u{958}", "\u{915}\u{93C}"),
    ])
  func `text is put in NFC`(text: String, expected: String) {
    #expect(Array(CaseFolder().composed(text).utf8) == Array(expected.utf8))
  }

  @Test
  func `text that is taken for composed by its bytes is what the tables say, alone and after any kind of letter`() {
    let folder = CaseFolder()
    // A character that no other composes with has the tables asked.
    let asking = "\u{E000}"
    var count = 0
    for scalar in (0...UInt32(0x10FFFF)).lazy.compactMap(Unicode.Scalar.init) {
      let text = String(scalar)
      let isSure = text.utf8.withContiguousStorageIfAvailable(isSurelyComposed) == true
      guard isSure else { continue }
      count += 1
      #expect(scalar.properties.canonicalCombiningClass == .notReordered)
      for before in ["", "e", "и", "가", "か", "न", "ا", "α"] {
        let whole = Array((before + text + asking).utf8)
        if Array(folder.composed(before + text + asking).utf8) != whole { Issue.record("\(before)\(scalar)") }
      }
    }
    #expect(count == 0x300 + 0x80 + 0x6000 + 0x2000)
    #expect(!"e\u{301}".utf8.elementsEqual(folder.composed("e\u{301}").utf8))
  }

  @Test func `a folder used again gives what a new one gives`() {
    let folder = CaseFolder()
    for seed in (0..<300).reversed() {
      let text = String(repeating: randomText(UInt64(seed)), count: seed % 7)
      for mode in FoldMode.allCases { #expect(folder.folded(text, mode) == CaseFolder().folded(text, mode)) }
    }
  }

  /// What utf8proc makes of a text in one call.
  private func mapped(_ text: String) -> [UInt8] {
    let options = UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue
    var result: UnsafeMutablePointer<UInt8>?
    let bytes = Array(text.utf8)
    let count = utf8proc_map(bytes, bytes.count, &result, utf8proc_option_t(options))
    defer { free(result) }
    return result.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
  }

  /// Up to eight scalars, half of them below U+0600, the rest of any plane.
  private func randomText(_ seed: UInt64) -> String {
    var random = SeededGenerator(seed: seed)
    return (0..<Int.random(in: 1...8, using: &random)).reduce(into: "") { text, _ in
      let value = UInt32.random(in: 0...(Bool.random(using: &random) ? 0x600 : 0x10FFFF), using: &random)
      if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
    }
  }

  @Test(
    arguments: FoldMode.allCases)
  func `folding with a limit is folding, if the result fits and the text is not far longer`(mode: FoldMode) {
    let (folder, limited) = (CaseFolder(), CaseFolder())
    let parts = ["a", "İ", "ß", "ǆ", "\u{301}", "\u{1F82}", "œ", "각", "\u{1100}\u{1161}", "\u{212A}", "日", "𐐀", "x y"]
    var texts = parts.flatMap { one in parts.map { one + $0 + one } }
    texts += (0..<500).map { randomText(UInt64($0)) }
    texts += parts.flatMap { part in [7, 100, 3_000].map { String(repeating: part, count: $0) } }
    for text in texts {
      let full = folder.folded(text, mode)
      for limit in Set([0, 1, full.count - 1, full.count, full.count + 1, full.count * 2, 5_000]) where limit >= 0 {
        let fits = full.count <= limit && text.utf8.count <= CaseFolder.maximumRatio * limit
        #expect(limited.folded(text, mode, atMost: limit) == (fits ? full : nil), "\(text.prefix(20)) \(limit)")
      }
    }
  }

  @Test func `ASCII is lowered a word at a time as it is byte by byte, at every place of a text`() {
    let folder = CaseFolder()
    for length in 1...20 {
      for place in 0..<length {
        for byte in UInt8(0)..<0x80 {
          var text = [UInt8](repeating: UInt8(ascii: "Z"), count: length)
          text[place] = byte
          let expected = text.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
          let folded = text.withUnsafeBytes { folder.fold($0, .plain, atMost: 20).map { [UInt8]($0) } }
          if folded != expected { Issue.record("\(text) became \(folded ?? [])") }
        }
        var foreign = [UInt8](repeating: UInt8(ascii: "Z"), count: length)
        foreign[place] = 0xFF
        #expect(foreign.withUnsafeBytes { folder.fold($0, .plain, atMost: 20) } == nil)
      }
    }
  }

  @Test(arguments: FoldMode.allCases)
  func `a text of 60 kB has no short folded form; marks count by their bytes`(mode: FoldMode) {
    let folder = CaseFolder()
    for text in ["İ", "a", "\u{301}", "각"].map({ String(repeating: $0, count: 60_000 / $0.utf8.count) }) {
      #expect(folder.folded(text, mode, atMost: 80) == nil)
    }
    #expect(folder.folded("a\u{301}\u{323}\u{308}", .baseLetters, atMost: 1) == Array("a".utf8))
    #expect(folder.folded("a\u{301}\u{323}\u{308}\u{301}", .baseLetters, atMost: 1) == nil)
    #expect([0xC3].withUnsafeBytes { folder.fold($0, mode, atMost: 80) } == nil)
  }
}
