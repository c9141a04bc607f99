/// How text is folded before it is compared.
public enum FoldMode: Sendable, Hashable {
  /// Full default case folding, then NFC: utf8proc's STABLE|COMPOSE|CASEFOLD. Diacritics stay significant.
  case plain
  /// `plain`, then all marks stripped and the letters of the base-letter table replaced (`ł` to `l`, …).
  case baseLetters
}

/// Folds text into buffers of its own, which it uses again: no allocation once they have grown.
public final class Folder {
  /// Makes a folder.
  public init() {}

  /// Folds UTF-8; `nil` if `text` is no valid UTF-8. The result is valid until the next call.
  public func fold(_ text: UnsafeRawBufferPointer, _ mode: FoldMode) -> UnsafeRawBufferPointer? {
    fatalError("not written yet")
  }

  /// Folds a string into bytes of its own.
  public func folded(_ text: String, _ mode: FoldMode) -> [UInt8] {
    fatalError("not written yet")
  }
}
