import CUTF8Proc

/// The columns that a text takes on a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks.
///
/// Control characters count 0; who prints foreign text escapes them first. Widths are summed by scalar, as wcwidth(3)
/// does and terminals do, so that an emoji joined from several is as wide as its parts.
///
/// - Complexity: O(n) in the bytes of `text`.
public func cellWidth(_ text: some StringProtocol) -> Int {
  text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? asciiWidth($1) : Int(utf8proc_charwidth(Int32($1.value)))) }
}

private func asciiWidth(_ scalar: Unicode.Scalar) -> Int {
  scalar.value >= 0x20 && scalar.value != 0x7F ? 1 : 0
}
