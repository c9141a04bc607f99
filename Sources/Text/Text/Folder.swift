/// Folds text into buffers of its own, which it uses again: no allocation once they have grown.
///
/// Two texts that differ in case, in the form of their accents (NFC, NFD) or, by ``FoldMode/baseLetters``, in accents
/// at all have the same folded bytes, so that comparing, ordering and searching is comparing bytes:
///
///     let folder = Folder()
///     folder.folded("Straße", .plain)        // "strasse"
///     folder.folded("Łódź", .baseLetters)    // "lodz"
///
/// Folding knows no locale: the same bytes everywhere are worth more here than a Turkish `ı` from `I`. ASCII text, the
/// common case by far, takes a path of its own that never reaches the Unicode tables.
///
/// Any input is safe: invalid UTF-8 has no folded form, and time is linear in the input even for a text made of
/// combining marks alone. An instance belongs to one thread.
public final class Folder {
  // An instance belongs to one thread, and no use of its buffers lies within another: checks at run time would cost a
  // fifth of folding a short text.
  @exclusivity(unchecked) private var front = ScalarBuffer()
  @exclusivity(unchecked) private var back = ScalarBuffer()

  /// Makes a folder.
  public init() {}

  /// Folds UTF-8; `nil` if `text` is no valid UTF-8.
  ///
  /// The result belongs to the folder and is valid until its next call.
  ///
  /// - Complexity: O(n) in the bytes of `text`; no allocation once the buffers have grown to it.
  public func fold(_ text: UnsafeRawBufferPointer, _ mode: FoldMode) -> UnsafeRawBufferPointer? {
    front.reserve(text.count)
    if let lowered = front.lowercaseASCII(text) { return lowered }
    guard front.decompose(text, [.stable, .compose, .caseFold]) else { return nil }
    switch mode {
    case .plain:
      front.reorder(scratch: &back)
      return front.encoded()
    case .baseLetters:
      front.appendBaseLetters(to: &back)
      return back.encoded()
    }
  }

  /// Folds a string into bytes of its own.
  ///
  /// - Complexity: O(n) in the bytes of `text`.
  public func folded(_ text: some StringProtocol, _ mode: FoldMode) -> [UInt8] {
    withFolded(text, mode) { [UInt8]($0) }
  }

  /// The text in NFC (UAX #15), `text` itself if it is ASCII.
  ///
  /// - Complexity: O(n) in the bytes of `text`.
  public func composed(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
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
