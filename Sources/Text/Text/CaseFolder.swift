/// How text is folded before it is compared.
public enum FoldMode: Sendable, Hashable, CaseIterable {
  /// Full default case folding, then NFC: utf8proc's STABLE|COMPOSE|CASEFOLD. Diacritics stay significant.
  case plain
  /// ``plain``, then all marks stripped and the letters of ``baseLetter(of:)`` replaced, so `Łódź` becomes `lodz`.
  case baseLetters
  /// The search key of a name: full case folding and compatibility decomposition, then the letters of
  /// ``baseLetter(of:)``; accents, points, format characters, apostrophes and full stops are dropped; runs of other
  /// characters between letters and digits become one space. So `Saint-Étienne`, `SAINT ETIENNE` and `saint–étienne`
  /// have the same key. Marks that carry sound stay: `バリ` is not `ハリ`.
  ///
  /// It is not composed: Hangul stays decomposed into letters, so that a partly typed syllable is a prefix of the whole
  /// one.
  case words
}

/// The letters and apostrophes that many keyboards lack and Unicode does not decompose.
///
/// At most 16 lines by design: every line must be obvious to everyone; this is not a transliteration. Keys are already
/// case-folded and decomposed. A second letter of 0 means none.
///
/// - Complexity: O(1), a jump table.
func baseLetter(of scalar: Int32) -> (first: UInt8, second: UInt8)? {
  switch scalar {
  case 0x00E6: (.init(ascii: "a"), .init(ascii: "e"))  // æ
  case 0x00F0: (.init(ascii: "d"), 0)  // ð
  case 0x00F8: (.init(ascii: "o"), 0)  // ø
  case 0x00FE: (.init(ascii: "t"), .init(ascii: "h"))  // þ
  case 0x0111: (.init(ascii: "d"), 0)  // đ
  case 0x0127: (.init(ascii: "h"), 0)  // ħ
  case 0x0131: (.init(ascii: "i"), 0)  // ı
  case 0x0142: (.init(ascii: "l"), 0)  // ł
  case 0x014B: (.init(ascii: "n"), 0)  // ŋ
  case 0x0153: (.init(ascii: "o"), .init(ascii: "e"))  // œ
  case 0x0167: (.init(ascii: "t"), 0)  // ŧ
  case 0x0259: (.init(ascii: "e"), 0)  // ə
  case 0x02BB, 0x02BC: (.init(ascii: "'"), 0)  // ʻ ʼ
  case 0x2018, 0x2019: (.init(ascii: "'"), 0)  // ‘ ’
  default: nil
  }
}

/// Folds text into reusable buffers: no allocation once they have grown.
///
/// Texts that differ only in case, in the form of their accents (NFC, NFD) or, with ``FoldMode/baseLetters``, in
/// accents have the same folded bytes, so that searching and sorting compare bytes:
///
///     let folder = CaseFolder()
///     folder.folded("Straße", .plain)        // "strasse"
///     folder.folded("Łódź", .baseLetters)    // "lodz"
///
/// Folding does not depend on the locale: the same bytes everywhere matter more than a Turkish `ı` from `I`. ASCII
/// text, by far the most common, has a fast path without Unicode tables.
///
/// Any input is safe: invalid UTF-8 has no folded form, and the time is linear even for a text of nothing but combining
/// marks. An instance belongs to one thread.
public final class CaseFolder {
  // Safe: an instance belongs to one thread, and accesses to its buffers never nest. Run-time checks would cost a fifth
  // of the time for a short text.
  @exclusivity(unchecked) private var front = ScalarBuffer()
  @exclusivity(unchecked) private var back = ScalarBuffer()

  /// Makes a folder.
  public init() {}

  /// Folds UTF-8; `nil` if `text` is not valid UTF-8, or has more than 128 MiB.
  ///
  /// The result belongs to the folder and is valid until its next call.
  ///
  /// - Complexity: O(n) in the bytes of `text`; no allocation once the buffers have grown to its size.
  public func fold(_ text: UnsafeRawBufferPointer, _ mode: FoldMode) -> UnsafeRawBufferPointer? {
    foldAny(text, mode, atMost: .max)
  }

  /// The longest text that ``fold(_:_:atMost:)`` folds, in bytes per byte of its limit: enough for a letter with three
  /// combining marks, of which ``FoldMode/baseLetters`` leaves one byte.
  public static let maximumRatio = 8

  /// Folds UTF-8 like ``fold(_:_:)``, into at most `limit` bytes, the length of the longest value to compare with.
  ///
  /// It is `nil` for a text of more than ``maximumRatio`` times as many bytes, for a longer folded form, and for
  /// invalid UTF-8: such a text equals none of the values. So the cost of a comparison is bounded by the longest value,
  /// whatever a client sends.
  ///
  ///     folder.fold(sixtyThousandBytes, .plain, atMost: 40)    // nil at once
  ///
  /// The result belongs to the folder and is valid until its next call.
  ///
  /// - Complexity: O(min(n, limit)) in the bytes of `text`.
  public func fold(_ text: UnsafeRawBufferPointer, _ mode: FoldMode, atMost limit: Int) -> UnsafeRawBufferPointer? {
    // Folding does not change the length of ASCII.
    if mode != .words, text.count <= min(limit, ScalarBuffer.reserved), let lowered = front.lowercaseASCII(text) {
      return lowered
    }
    return foldAny(text, mode, atMost: limit)
  }

  private func foldAny(_ text: UnsafeRawBufferPointer, _ mode: FoldMode, atMost limit: Int) -> UnsafeRawBufferPointer? {
    guard text.count <= Self.maximumRatio * min(limit, Self.maximumLimit) else { return nil }
    front.reserve(text.count)
    if let ready = mode == .words ? front.wordsOfASCII(text) : front.lowercaseASCII(text) {
      return ready.count <= limit ? ready : nil
    }
    let scalars = Self.maximumJoined * min(limit, Self.maximumLimit)
    let folded: UnsafeRawBufferPointer
    switch mode {
    case .plain:
      guard front.decompose(text, [.stable, .compose, .caseFold], atMost: scalars) else { return nil }
      front.reorder(scratch: &back)
      folded = front.encoded()
    case .words:
      guard front.decompose(text, toWords: &back, atMost: limit) else { return nil }
      folded = back.encodedAsIs()
    case .baseLetters:
      guard front.decompose(text, toBaseLetters: &back, atMost: scalars) else { return nil }
      folded = back.encoded()
    }
    return folded.count <= limit ? folded : nil
  }

  /// Whether a separator, such as a space, followed the last word of the text that was last folded by
  /// ``FoldMode/words``: the user has completed the word.
  public var endsAfterWord: Bool { front.endsAfterWord }

  /// Values are shorter than this, so that multiples of a limit do not overflow.
  private static let maximumLimit = 1 << 24
  /// The most code points that composition joins into one: no character decomposes into more (UAX #15, "maximum
  /// expansion factors"), so more than four times `limit` code points give more than `limit` bytes.
  private static let maximumJoined = 4

  /// Folds a string into an array of at most `limit` bytes; `nil` as for ``fold(_:_:atMost:)``.
  ///
  /// - Complexity: O(min(n, limit)) in the bytes of `text`, if it is a native string.
  public func folded(_ text: String, _ mode: FoldMode, atMost limit: Int) -> [UInt8]? {
    var text = text
    return text.withUTF8 { fold(UnsafeRawBufferPointer($0), mode, atMost: limit).map { [UInt8]($0) } }
  }

  /// Folds a string into an array, which is empty if the string has more than 128 MiB.
  ///
  /// - Complexity: O(n) in the bytes of `text`.
  public func folded(_ text: String, _ mode: FoldMode) -> [UInt8] { folded(text, mode, atMost: .max) ?? [] }

  /// The text in NFC (UAX #15); `text` itself if its bytes show that it already is.
  ///
  /// - Complexity: O(n) in the bytes of `text`.
  public func composed(_ text: String) -> String {
    if text.utf8.withContiguousStorageIfAvailable(isSurelyComposed) == true { return text }
    var text = text
    return text.withUTF8 {
      guard front.decompose(UnsafeRawBufferPointer($0), [.stable, .compose]) else { return "" }
      front.reorder(scratch: &back)
      return String(decoding: front.encoded(), as: UTF8.self)
    }
  }
}

/// Whether the bytes alone show that UTF-8 is in NFC, as for most names, which then need no tables.
///
/// They do if all characters are unchanged in NFC and do not compose with earlier ones (`NFC_Quick_Check=Yes` and
/// combining class 0, UAX #15): those below U+0300, Cyrillic letters up to U+047F, U+4000 to U+9FFF (Chinese
/// ideographs), U+B000 to U+CFFF (Hangul syllables). The first byte of a character identifies them.
package func isSurelyComposed(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  let others = ~composedStarts
  return !text.contains { $0 >= 0xC0 && others >> UInt64($0 &- 0xC0) & 1 == 1 }
}

/// A bit for each first byte from 0xC0 up, set if all its characters are of that sort.
private let composedStarts: UInt64 = {
  let starts: [ClosedRange<UInt64>] = [0xC2...0xCB, 0xD0...0xD1, 0xE4...0xE9, 0xEB...0xEC]
  return starts.joined().reduce(0) { $0 | 1 << ($1 - 0xC0) }
}()
