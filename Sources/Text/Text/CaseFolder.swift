/// How text is folded before it is compared.
public enum FoldMode: Sendable, Hashable, CaseIterable {
  /// Full default case folding, then NFC: utf8proc's STABLE|COMPOSE|CASEFOLD. Diacritics stay significant.
  case plain
  /// ``plain``, then all marks stripped and the letters of ``baseLetter(of:)`` replaced, so `Łódź` becomes `lodz`.
  case baseLetters
  /// The search key of a name: full case folding and compatibility decomposition, then the letters of
  /// ``baseLetter(of:)``; accents, points, format characters, apostrophes and full stops left out; one space for other
  /// characters between letters and digits, and none at either end. So `Saint-Étienne`, `SAINT ETIENNE` and
  /// `saint–e´tienne` have one key. Marks that carry sound stay: `バリ` is not `ハリ`.
  ///
  /// It is not composed: Hangul stays in its letters, so that a syllable that is being typed is the start of the whole
  /// one.
  case words
}

/// The letters and apostrophes that Unicode does not decompose although a keyboard without them is common.
///
/// At most 16 lines by design: every line must be obvious to everyone; a transliteration is another thing.
/// Keys are case-folded and decomposed already. A second letter of zero is none.
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

/// Folds text into its own buffers, which it uses again: no allocation once they have grown.
///
/// Two texts that differ in case, in the form of their accents (NFC, NFD) or, by ``FoldMode/baseLetters``, in accents
/// at all have the same folded bytes, so that comparing, ordering and searching is comparing bytes:
///
///     let folder = CaseFolder()
///     folder.folded("Straße", .plain)        // "strasse"
///     folder.folded("Łódź", .baseLetters)    // "lodz"
///
/// Folding does not depend on a locale: the same bytes everywhere are worth more here than a Turkish `ı` from `I`.
/// ASCII text, the common case by far, takes its own path that never reaches the Unicode tables.
///
/// Any input is safe: invalid UTF-8 has no folded form, and time is linear in the input even for a text made of
/// combining marks alone. An instance belongs to one thread.
public final class CaseFolder {
  // An instance belongs to one thread, and no use of its buffers lies within another: checks at run time would cost a
  // fifth of folding a short text.
  @exclusivity(unchecked) private var front = ScalarBuffer()
  @exclusivity(unchecked) private var back = ScalarBuffer()

  /// Makes a folder.
  public init() {}

  /// Folds UTF-8; `nil` if `text` is not valid UTF-8, or has more than 128 MiB.
  ///
  /// The result belongs to the folder and is valid until its next call.
  ///
  /// - Complexity: O(n) in the bytes of `text`; no allocation once the buffers have grown to it.
  public func fold(_ text: UnsafeRawBufferPointer, _ mode: FoldMode) -> UnsafeRawBufferPointer? {
    foldAny(text, mode, atMost: .max)
  }

  /// Bytes of a text for each byte of its folded form that ``fold(_:_:atMost:)`` looks at: a letter with three
  /// combining marks, of which ``FoldMode/baseLetters`` leaves one byte, still has its folded form.
  public static let maximumRatio = 8

  /// Folds UTF-8 as ``fold(_:_:)`` does, but only into at most `limit` bytes, the length of the longest value that the
  /// result may be equal to.
  ///
  /// It is `nil` for a text of more than ``maximumRatio`` times as many bytes, for one whose folded form is longer, and
  /// for invalid UTF-8: such a text equals none of the values. So a comparison costs what the longest value costs,
  /// whatever a client sends.
  ///
  ///     folder.fold(sixtyThousandBytes, .plain, atMost: 40)    // nil at once
  ///
  /// The result belongs to the folder and is valid until its next call.
  ///
  /// - Complexity: O(min(n, limit)) in the bytes of `text`.
  public func fold(_ text: UnsafeRawBufferPointer, _ mode: FoldMode, atMost limit: Int) -> UnsafeRawBufferPointer? {
    // ASCII is as long folded as it was.
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
  /// ``FoldMode/words``: who types has ended the word.
  public var endsAfterWord: Bool { front.endsAfterWord }

  /// Values are shorter than this, which keeps multiples of a limit within an integer.
  private static let maximumLimit = 1 << 24
  /// Code points that composition joins into one at most: no character decomposes into more (UAX #15, "maximum
  /// expansion factors"), so more than four times `limit` code points have more than `limit` bytes.
  private static let maximumJoined = 4

  /// Folds a string into at most `limit` its own bytes; `nil` as ``fold(_:_:atMost:)``.
  ///
  /// - Complexity: O(min(n, limit)) in the bytes of `text`, if it is a native string.
  public func folded(_ text: some StringProtocol, _ mode: FoldMode, atMost limit: Int) -> [UInt8]? {
    let direct = text.utf8.withContiguousStorageIfAvailable {
      fold(UnsafeRawBufferPointer($0), mode, atMost: limit).map { [UInt8]($0) }
    }
    if let direct { return direct }
    var copy = String(text)
    return copy.withUTF8 { fold(UnsafeRawBufferPointer($0), mode, atMost: limit).map { [UInt8]($0) } }
  }

  /// Folds a string into its own bytes.
  ///
  /// - Complexity: O(n) in the bytes of `text`.
  public func folded(_ text: some StringProtocol, _ mode: FoldMode) -> [UInt8] {
    withFolded(text, mode) { [UInt8]($0) }
  }

  /// The text in NFC (UAX #15), `text` itself if its bytes show that it is.
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

  /// Calls `body` with the folded bytes of a string, which are always valid UTF-8.
  func withFolded<Result>(
    _ text: some StringProtocol, _ mode: FoldMode, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    // A native string hands out its storage; anything else is copied once.
    let direct = text.utf8.withContiguousStorageIfAvailable { fold(UnsafeRawBufferPointer($0), mode).map(body) }
    if case .some(.some(let result)) = direct { return result }
    var copy = String(text)
    return copy.withUTF8 {
      body(fold(UnsafeRawBufferPointer($0), mode) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }
}

/// Whether UTF-8 is in NFC by its bytes alone: most names are, and then need no tables.
///
/// It is if all its characters stand for themselves in NFC and compose with none before them (`NFC_Quick_Check=Yes` and
/// combining class 0, UAX #15): those below U+0300, Cyrillic letters up to U+047F, U+4000 to U+9FFF (ideographs of
/// Chinese), U+B000 to U+CFFF (syllables of Hangul). The first byte of a character says that it is one of these.
package func isSurelyComposed(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  let others = ~composedStarts
  return !text.contains { $0 >= 0xC0 && others >> UInt64($0 &- 0xC0) & 1 == 1 }
}

/// A bit for each first byte from 0xC0 up whose characters all are of that sort.
private let composedStarts: UInt64 = {
  let starts: [ClosedRange<UInt64>] = [0xC2...0xCB, 0xD0...0xD1, 0xE4...0xE9, 0xEB...0xEC]
  return starts.joined().reduce(0) { $0 | 1 << ($1 - 0xC0) }
}()
