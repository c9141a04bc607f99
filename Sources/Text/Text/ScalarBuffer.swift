import CUTF8Proc

/// The options of utf8proc (utf8proc.h, `utf8proc_option_t`).
struct UnicodeOptions: OptionSet {
  let rawValue: UInt32

  static let stable = UnicodeOptions(UTF8PROC_STABLE)
  static let compose = UnicodeOptions(UTF8PROC_COMPOSE)
  static let decompose = UnicodeOptions(UTF8PROC_DECOMPOSE)
  static let compatibility = UnicodeOptions(UTF8PROC_COMPAT)
  static let caseFold = UnicodeOptions(UTF8PROC_CASEFOLD)

  init(rawValue: UInt32) { self.rawValue = rawValue }
  private init(_ option: utf8proc_option_t) { rawValue = option.rawValue }
  var option: utf8proc_option_t { utf8proc_option_t(rawValue) }
}

/// Decomposed Unicode scalars between UTF-8 input and output, in reusable memory.
///
/// `utf8proc_decompose` is not used: it bubble-sorts combining marks, which is quadratic in a run of them and takes
/// half a second for a hostile 64 KiB text. ``reorder(scratch:)`` gives the same order in linear time.
struct ScalarBuffer: ~Copyable {
  /// The minimum capacity in scalars.
  static let reserved = 64
  private var memory = UnsafeMutableBufferPointer<Int32>.allocate(capacity: reserved)
  private var count = 0
  /// Whether a separator followed the last folded word, so that the word is complete.
  private(set) var endsAfterWord = false

  deinit { memory.deallocate() }

  /// Makes room for `scalars` in total, and discards the current contents.
  @inline(__always)
  mutating func reserve(_ scalars: Int) {
    count = 0
    grow(to: scalars)
  }

  /// Makes room for `scalars` and the terminating zero that utf8proc writes.
  private mutating func grow(to scalars: Int) {
    guard scalars >= memory.count else { return }
    let larger = UnsafeMutableBufferPointer<Int32>.allocate(capacity: max(scalars + 1, memory.count * 2))
    _ = larger.update(fromContentsOf: memory[..<count])
    memory.deallocate()
    memory = larger
  }

  /// The text in lower case if it is all ASCII, for which folding and NFC change nothing else; room must be
  /// reserved.
  ///
  /// Works on eight bytes at a time, and on the rest as one word. The room suffices: a scalar has four bytes.
  @inline(__always)
  mutating func lowercaseASCII(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let target = UnsafeMutableRawPointer(memory.baseAddress.unsafelyUnwrapped)
    guard let source = text.baseAddress else { return UnsafeRawBufferPointer(start: target, count: 0) }
    var index = 0
    while text.count &- index >= 8 {
      let word = (source + index).loadUnaligned(as: UInt64.self)
      guard let lower = Self.lowercase(word) else { return nil }
      target.storeBytes(of: lower, toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    guard let lower = Self.lowercase(Self.word(source + index, text.count &- index)) else { return nil }
    target.storeBytes(of: lower.littleEndian, toByteOffset: index, as: UInt64.self)
    return UnsafeRawBufferPointer(start: target, count: text.count)
  }

  /// Up to seven bytes as a number, least significant first.
  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    // Overlapping loads agree where they overlap.
    if count >= 4 {
      let (first, last) = (bytes.loadUnaligned(as: UInt32.self), (bytes + (count &- 4)).loadUnaligned(as: UInt32.self))
      return UInt64(UInt32(littleEndian: first)) | UInt64(UInt32(littleEndian: last)) &<< UInt64(8 &* (count &- 4))
    }
    guard count > 0 else { return 0 }
    let (middle, last) = (count >> 1, count &- 1)
    return UInt64(bytes.load(as: UInt8.self))
      | UInt64(bytes.load(fromByteOffset: middle, as: UInt8.self)) &<< UInt64(8 &* middle)
      | UInt64(bytes.load(fromByteOffset: last, as: UInt8.self)) &<< UInt64(8 &* last)
  }

  /// Eight bytes with A to Z in lower case; nil unless all are ASCII.
  @inline(__always)
  private static func lowercase(_ word: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high = ones &* 0x80
    guard word & high == 0 else { return nil }
    // The high bits of the sums show which bytes are at least "A", and which are above "Z"; no byte carries into the
    // next.
    let isUpper = (word &+ ones &* (0x80 - 0x41)) & ~(word &+ ones &* (0x80 - 0x5B)) & high
    return word | isUpper >> 2
  }

  /// Replaces the contents by the decomposed scalars of `text`; `false` if it is not valid UTF-8, or has more scalars
  /// than `limit`.
  mutating func decompose(
    _ text: UnsafeRawBufferPointer, _ options: UnicodeOptions, atMost limit: Int = .max
  ) -> Bool {
    count = 0
    return forEachScalar(of: text) { scalar, buffer in
      buffer.append(decomposed: scalar, options)
      return buffer.count <= limit
    }
  }

  /// Puts the base letters of `text` into `target`; `false` if it is not valid UTF-8, or has more of them than `limit`.
  ///
  /// Works on one character at a time, so that it can stop at the limit; dropped marks do not count.
  mutating func decompose(
    _ text: UnsafeRawBufferPointer, toBaseLetters target: inout ScalarBuffer, atMost limit: Int
  ) -> Bool {
    target.reserve(0)
    return forEachScalar(of: text) { scalar, buffer in
      buffer.count = 0
      buffer.append(decomposed: scalar, [.stable, .compose, .caseFold])
      target.grow(to: target.count + 2 * buffer.count)
      for index in 0..<buffer.count { target.append(baseLettersOf: buffer.memory[index]) }
      return target.count <= limit
    }
  }

  /// Puts the words of `text` into `target`: letters without optional marks, and numbers, in their compatibility
  /// decomposition, one space between two words; `false` if `text` is not valid UTF-8, or has more of them than
  /// `limit`.
  mutating func decompose(
    _ text: UnsafeRawBufferPointer, toWords target: inout ScalarBuffer, atMost limit: Int
  ) -> Bool {
    target.reserve(0)
    var isAfterWord = false
    let isWhole = forEachScalar(of: text) { scalar, buffer in
      buffer.count = 0
      buffer.append(decomposed: scalar, [.stable, .decompose, .compatibility, .caseFold])
      target.grow(to: target.count + 3 * buffer.count)
      for index in 0..<buffer.count { target.append(wordLetterOf: buffer.memory[index], &isAfterWord) }
      return target.count <= limit
    }
    endsAfterWord = isAfterWord
    // Kept marks, such as the vowel signs and tones of Thai, may be typed in any order.
    target.reorder(scratch: &self)
    return isWhole
  }

  /// Appends the form of a decomposed scalar in a search key; a separator is remembered until the next word starts.
  private mutating func append(wordLetterOf decomposed: Int32, _ isAfterWord: inout Bool) {
    let scalar = commonArabicLetter(of: decomposed)
    let base = baseLetter(of: scalar)
    let role = base.map { wordRole(of: Int32($0.first)) } ?? wordRole(of: scalar)
    switch role {
    case .separator: isAfterWord = true
    case .nothing: break
    case .letter:
      if isAfterWord, count > 0 { append(Int32(UInt8(ascii: " "))) }
      isAfterWord = false
      append(lettersOf: scalar, base)
    }
  }

  /// The words of the text if all of it is ASCII, as ``decompose(_:toWords:atMost:)`` finds them; room must be
  /// reserved.
  mutating func wordsOfASCII(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let target = UnsafeMutableRawBufferPointer(memory)
    var (length, isAfterWord) = (0, false)
    for byte in text {
      if byte >= 0x80 { return nil }
      let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
      if lower &- 0x61 < 26 || lower &- 0x30 < 10 {
        if isAfterWord, length > 0 {
          target[length] = UInt8(ascii: " ")
          length &+= 1
        }
        isAfterWord = false
        target[length] = lower
        length &+= 1
      } else if wordRole(of: Int32(lower)) == .separator {
        isAfterWord = true
      }
    }
    endsAfterWord = isAfterWord
    return UnsafeRawBufferPointer(start: target.baseAddress, count: length)
  }

  /// Calls `body` with each scalar of `text` until it returns `false`; `false` then, or if `text` is not valid UTF-8.
  @inline(__always)
  private mutating func forEachScalar(
    of text: UnsafeRawBufferPointer, _ body: (Int32, inout ScalarBuffer) -> Bool
  ) -> Bool {
    guard let start = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
    var offset = 0
    while offset < text.count {
      var scalar: Int32 = 0
      let read = utf8proc_iterate(start + offset, text.count - offset, &scalar)
      guard read > 0, body(scalar, &self) else { return false }
      offset += read
    }
    return true
  }

  private mutating func append(decomposed scalar: Int32, _ options: UnicodeOptions) {
    // ASCII is its own decomposition; folding changes the capital letters. Most letters of other names are ASCII, too.
    if scalar < 0x80, memory.count - count > 1 {
      let isFolded = options.contains(.caseFold) && (0x41...0x5A).contains(scalar)
      return append(isFolded ? scalar | 0x20 : scalar)
    }
    var boundaryClass: Int32 = 0
    while true {
      let room = memory.count - count
      let needed = utf8proc_decompose_char(
        scalar, memory.baseAddress.map { $0 + count }, room, options.option, &boundaryClass)
      // One scalar stays free: utf8proc_reencode writes a zero after its result.
      if needed < room {
        count += max(needed, 0)
        return
      }
      grow(to: count + needed)
    }
  }

  /// Sorts every run of combining marks by combining class, stably: the canonical ordering algorithm (Unicode 3.11).
  ///
  /// - Complexity: O(n).
  mutating func reorder(scratch: inout ScalarBuffer) {
    var index = 0
    while index < count {
      let start = index
      while index < count, combiningClass(memory[index]) != 0 { index += 1 }
      if index - start > 1 { sortMarks(start..<index, scratch: &scratch) }
      index += 1
    }
  }

  /// Uses insertion sort for short runs, counting sort otherwise.
  private mutating func sortMarks(_ run: Range<Int>, scratch: inout ScalarBuffer) {
    let marks = UnsafeMutableBufferPointer(rebasing: memory[run])
    guard run.count > 16 else { return insertionSort(marks) }
    scratch.reserve(run.count)
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { next in
      next.initialize(repeating: 0)
      for mark in marks { next[Int(combiningClass(mark))] += 1 }
      var sum: Int32 = 0
      for index in next.indices { (next[index], sum) = (sum, sum + next[index]) }
      for mark in marks {
        let slot = Int(combiningClass(mark))
        scratch.memory[Int(next[slot])] = mark
        next[slot] += 1
      }
    }
    _ = marks.update(fromContentsOf: scratch.memory[..<run.count])
  }

  /// Appends a decomposed scalar, replaced by the base-letter table, unless it is a mark; there must be room for two.
  private mutating func append(baseLettersOf scalar: Int32) { append(baseLettersOf: scalar, baseLetter(of: scalar)) }

  private mutating func append(baseLettersOf scalar: Int32, _ base: (first: UInt8, second: UInt8)?) {
    if base != nil || !isMark(scalar) { append(lettersOf: scalar, base) }
  }

  /// Appends a scalar, replaced by the base-letter table; there must be room for two.
  private mutating func append(lettersOf scalar: Int32, _ base: (first: UInt8, second: UInt8)?) {
    append(base.map { Int32($0.first) } ?? scalar)
    if let second = base?.second, second != 0 { append(Int32(second)) }
  }

  private mutating func append(_ scalar: Int32) {
    memory[count] = scalar
    count += 1
  }

  /// Encodes the contents in place as UTF-8, without composing; the buffer is empty afterwards.
  mutating func encodedAsIs() -> UnsafeRawBufferPointer {
    let bytes = utf8proc_reencode(memory.baseAddress, count, utf8proc_option_t(0))
    count = 0
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<max(bytes, 0)])
  }

  /// Composes the contents and encodes them in place as UTF-8; the buffer is empty afterwards.
  mutating func encoded() -> UnsafeRawBufferPointer {
    let options: UnicodeOptions = [.stable, .compose]
    let bytes = utf8proc_reencode(memory.baseAddress, count, options.option)
    count = 0
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<max(bytes, 0)])
  }
}

/// The canonical combining class, 0 for everything that starts a sequence.
private func combiningClass(_ scalar: Int32) -> UInt8 {
  UInt8(truncatingIfNeeded: utf8proc_get_property(scalar).pointee.combining_class)
}

/// Whether the scalar is a mark, as for UTF8PROC_STRIPMARK: nonspacing, spacing or enclosing.
private func isMark(_ scalar: Int32) -> Bool {
  let category = utf8proc_category(scalar)
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME
}

/// Whether the mark is optional in its script, so that names are compared without it.
///
/// These are the accents of Latin, Greek and Cyrillic (The Unicode Standard, chapter 7), the points of Hebrew, Arabic,
/// Syriac and Samaritan (chapter 9), and the marks of symbols, by their blocks. All other marks carry sound and count
/// as letters: the voicing of kana (chapter 18), the vowel signs of Indic scripts, Tibetan, Thai, Lao, Khmer and
/// Myanmar (chapters 12, 13 and 16), and those of Thaana and N'Ko, which are always written.
private func isOptionalMark(_ scalar: Int32) -> Bool {
  switch scalar {
  case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE2F: true
  case 0x0483...0x0489, 0x2DE0...0x2DFF, 0xA66F...0xA69F: true  // Cyrillic
  case 0x0591...0x05C7, 0xFB1E: true  // Hebrew
  case 0x0610...0x061A, 0x064B...0x065F, 0x0670, 0x06D6...0x06ED, 0x0898...0x08FF: true  // Arabic
  case 0x0711, 0x0730...0x074A, 0x0816...0x082D: true  // Syriac, Samaritan
  case 0x180B...0x180F, 0xE0100...0xE01EF, 0x302A...0x302F: true  // selectors of variants, tones of ideographs
  default: false
  }
}

/// The letter of Arabic keyboards for a variant of Persian, Urdu or Uyghur keyboards; any other scalar unchanged.
private func commonArabicLetter(of scalar: Int32) -> Int32 {
  switch scalar {
  case 0x06CC, 0x0649: 0x064A  // ی ى ي
  case 0x06A9: 0x0643  // ک ك
  case 0x06D5, 0x0629, 0x06BE, 0x06C1: 0x0647  // ە ة ھ ہ ه
  default: scalar
  }
}

/// The role of a scalar in the search key of a name.
private enum WordRole {
  /// A letter, a digit, or a mark that carries sound.
  case letter
  /// A space or other separator of words.
  case separator
  /// Apostrophes, full stops, optional marks and format characters, which people omit.
  case nothing
}

private func wordRole(of scalar: Int32) -> WordRole {
  switch scalar {
  // ' ` . ʹ ′ ׳ ״ and the dot between words in katakana; the base-letter table has already turned other apostrophes
  // into '.
  case 0x27, 0x60, 0x2E, 0x02B9, 0x2032, 0x05F3, 0x05F4, 0x30FB: return .nothing
  default: break
  }
  switch utf8proc_category(scalar) {
  case UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_LO,
    UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO:
    return .letter
  case UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME:
    return isOptionalMark(scalar) ? .nothing : .letter
  case UTF8PROC_CATEGORY_CF: return .nothing
  default: return .separator
  }
}

private func insertionSort(_ marks: UnsafeMutableBufferPointer<Int32>) {
  for index in marks.indices.dropFirst() {
    let mark = marks[index]
    let order = combiningClass(mark)
    var slot = index
    while slot > 0, combiningClass(marks[slot - 1]) > order {
      marks[slot] = marks[slot - 1]
      slot -= 1
    }
    marks[slot] = mark
  }
}
