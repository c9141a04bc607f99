/// A resumable search for the names that differ from a key by a few typos.
///
/// An error is an extra, missing or wrong letter, or two adjacent letters swapped, and no part of a name is changed
/// twice: the optimal string alignment distance. The first letter must be right, except in the pass
/// ``Pass/firstLetter``, and so must be digits, because another number is another place. A short key may have no error:
/// see ``allowedEdits(_:)``.
///
/// The walk descends the trie of names and keeps one row of the distance matrix per letter of the path; if a whole row
/// exceeds the bound, no name below can match, and the branch is pruned (K. Oflazer, "Error-tolerant finite-state
/// recognition", Computational Linguistics 22(1), 1996). A row has one bit per letter of the key for each number of
/// errors, so that the next one takes a few operations (S. Wu, U. Manber, "Fast text searching allowing errors", CACM
/// 35(10), 1992). The letter that leads to a branch is tested before any name below it is read, and so are the
/// ``NameBounds`` of the branch: a letter of the key that no name below has is an error, and a small city with more
/// errors than a large one already found cannot qualify.
struct TypoWalk {
  /// The kinds of errors that one walk searches for.
  ///
  /// More errors come last, when good hits may exclude most of the trie.
  enum Pass {
    /// One error, or one in the start of a name.
    case oneError
    /// Two errors.
    case twoErrors
    /// One error, in the first letter.
    case firstLetter
  }

  /// The maximum number of letters of a key to search for.
  private static let maximumLetters = 64

  /// A node whose children remain to be visited.
  private struct Frame {
    let node: RadixTrie.Node
    /// The remaining children.
    var children: Range<Int>
    /// Letters of the path, and their size in bytes.
    let letters: Int
    let bytes: Int
    /// Whether the names below were already reported because of their start.
    let isStarted: Bool
  }

  /// The letters of a path, compared with the key.
  ///
  /// For each number of errors there is one bit per letter of the key: set if the key, up to and including that letter,
  /// differs from the path by at most that number. The empty start of the key has no bit: its number of errors is the
  /// number of letters in the path.
  private struct Row {
    /// For zero, one and two errors; `two` equals `one` if only one is allowed.
    var none: UInt64 = 0, one: UInt64 = 0, two: UInt64 = 0
    /// The letters of the key that equal the last letter of the path.
    var equal: UInt64 = 0
    /// The number of spaces in the path.
    var spaces = 0
  }

  private var pattern: [UInt32] = []
  /// The digits of the key.
  private var digits: [UInt32] = []
  /// A bit for each letter of the key, and the bit of its last one.
  private var allLetters: UInt64 = 0
  private var lastLetter: UInt64 = 0
  /// The positions in the key of each ASCII letter, and of each other letter of the key.
  private var places = [UInt64](repeating: 0, count: 128)
  private var otherPlaces: [(letter: UInt32, places: UInt64)] = []
  /// The classes of the key's letters, and the positions in the key of the letters of each class.
  private var classes: UInt32 = 0
  private var classPlaces = [UInt64](repeating: 0, count: UInt32.bitWidth)
  /// Whether a letter of the key starts with that byte: most branches begin with those of other scripts.
  private var leads = [Bool](repeating: false, count: 256)
  /// Indexed by the number of letters in the path.
  private var rows: [Row] = []
  private var frames: [Frame] = []
  private var limit = 0
  /// The number of letters of the key, without spaces.
  private var letters = 0
  /// Positions in a leaf that remain to be compared, and the path to it.
  private var leaf = (texts: 0..<0, letters: 0, bytes: 0, isStarted: false)
  /// Names with a key that matches, which remain to be reported, and their number of errors.
  private var near = (entries: 0..<0, edits: 0)
  /// Names with a start that matches, which remain to be reported.
  private var started: [Range<Int>] = []
  /// The kind of errors in this pass, and whether starts of names match.
  private var (pass, allowsStarts) = (Pass.oneError, false)

  /// The number of errors allowed between two keys, the longer of which has `letters` letters; spaces do not count.
  static func allowedEdits(_ letters: Int) -> Int { letters < 5 ? 0 : letters < 9 ? 1 : mostEdits }
  private static let mostEdits = 2

  /// Starts a walk for `key`, which is folded.
  ///
  /// With `starts`, a name may continue after the key in the pass ``Pass/oneError``.
  mutating func begin(_ key: UnsafeRawBufferPointer, _ pass: Pass, starts: Bool, _ names: NameTable) {
    self.pass = pass
    started.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
    pattern.removeAll(keepingCapacity: true)
    (leaf, near) = ((0..<0, 0, 0, false), (0..<0, 0))
    var offset = 0
    while pattern.count <= Self.maximumLetters,
      let letter = NameBounds.letter({ $0 < key.count ? key[$0] : 0 }, &offset)
    {
      pattern.append(letter)
    }
    letters = pattern.count { $0 != Self.space }
    digits.removeAll(keepingCapacity: true)
    for letter in pattern where Self.isDigit(letter) { digits.append(letter) }
    // An error may be a letter missing from the key: the name may be longer by one letter per error.
    let wanted = pass == .twoErrors ? Self.mostEdits : 1
    limit = wanted <= Self.allowedEdits(letters + wanted) ? wanted : 0
    allowsStarts = starts && pass == .oneError && Self.allowedEdits(letters) > 0 && digits.isEmpty
    guard limit > 0, pattern.count <= Self.maximumLetters, let root = names.trie.root(over: 0..<names.keys.count) else {
      return
    }
    allLetters = UInt64.max >> UInt64(UInt64.bitWidth - pattern.count)
    lastLetter = 1 << UInt64(pattern.count - 1)
    notePlaces()
    rows = [Row](repeating: Row(), count: pattern.count + limit + 2)
    // Letters of the key that are missing at the start of the path.
    (rows[0].one, rows[0].two) = (1, 3)
    enter(root, letters: 0, bytes: 0, isStarted: !allowsStarts, names)
  }

  private mutating func notePlaces() {
    for letter in places.indices { places[letter] = 0 }
    otherPlaces.removeAll(keepingCapacity: true)
    for letterClass in classPlaces.indices { classPlaces[letterClass] = 0 }
    for byte in leads.indices { leads[byte] = false }
    classes = 0
    for (index, letter) in pattern.enumerated() {
      let bit: UInt64 = 1 << UInt64(index)
      classes |= 1 << NameBounds.letterClass(letter)
      classPlaces[Int(NameBounds.letterClass(letter))] |= bit
      leads[Int(letter >> UInt32(8 * ((UInt32.bitWidth - 1 - letter.leadingZeroBitCount) / 8)))] = true
      if letter < places.count {
        places[Int(letter)] |= bit
      } else if let known = otherPlaces.firstIndex(where: { $0.letter == letter }) {
        otherPlaces[known].places |= bit
      } else {
        otherPlaces.append((letter, bit))
      }
    }
  }

  /// The positions of a letter in the key.
  @inline(__always)
  private func places(of letter: UInt32) -> UInt64 {
    if letter < 128 { return places[Int(letter)] }
    for other in otherPlaces where other.letter == letter { return other.places }
    return 0
  }

  /// Visits up to `left` nodes and names, which it subtracts from `left`; pauses when something is found.
  ///
  /// A name does not qualify if its score as a start, minus 100 per error, is less than `least`.
  ///
  /// Names with equal keys are compared once, but each match is reported: thousands of cities share a name, and `found`
  /// gets some of them at a time.
  ///
  /// - Returns: Whether the walk is finished.
  mutating func advance(
    _ left: inout Int, _ names: NameTable, least: Int, started: (_ entries: Range<Int>) -> Void,
    found: (_ entries: Range<Int>, _ edits: Int) -> Void
  ) -> Bool {
    defer {
      for entries in self.started { started(entries) }
      self.started.removeAll(keepingCapacity: true)
    }
    while left > 0, self.started.isEmpty {
      if !near.entries.isEmpty {
        let end = near.entries.lowerBound + min(left, near.entries.count)
        left -= end - near.entries.lowerBound
        found(near.entries.lowerBound..<end, near.edits)
        near.entries = end..<near.entries.upperBound
        return false
      } else if !leaf.texts.isEmpty {
        left -= 1
        compareNextName(names)
      } else if let frame = frames.popLast() {
        visitNextChild(of: frame, &left, names, least)
      } else {
        left -= 1
        return true
      }
    }
    return false
  }

  /// Enters the next child whose letter and bounds match.
  private mutating func visitNextChild(of frame: Frame, _ left: inout Int, _ names: NameTable, _ least: Int) {
    var frame = frame
    while left > 0, let index = frame.children.first {
      left -= 1
      frame.children = index + 1..<frame.children.upperBound
      let label = names.trie.label(of: index)
      // The letter is known without reading a name if it is one byte and the path includes all bytes before it. Of a
      // longer one it may be known that the key lacks it.
      let isKnown = label > 0 && frame.bytes == frame.node.depth && (label < 0x80 || !leads[Int(label)])
      if isKnown, !accepts(label < 0x80 ? UInt32(label) : .max, at: frame.letters + 1) { continue }
      guard mayHold(names.bounds[index], frame.letters + (isKnown ? 1 : 0), least) else { continue }
      // The rows belong to one path: everything below the child comes before the next child.
      if !frame.children.isEmpty { frames.append(frame) }
      let child = names.trie.child(index, of: frame.node)
      return enter(child, letters: frame.letters, bytes: frame.bytes, isStarted: frame.isStarted, names)
    }
    if !frame.children.isEmpty { frames.append(frame) }
  }

  /// Whether names with such bounds can match if they continue after `letters` letters of the path.
  @inline(__always)
  private func mayHold(_ bounds: (letters: UInt32, score: Int), _ letters: Int, _ least: Int) -> Bool {
    var missing: UInt64 = 0
    var absent = classes & ~bounds.letters
    while absent != 0 {
      missing |= classPlaces[absent.trailingZeroBitCount]
      absent &= absent &- 1
    }
    // The empty start of the key has no bit: all letters of the path are extra.
    var errors = letters <= limit ? letters &+ missing.nonzeroBitCount : limit + 1
    func add(_ places: UInt64, _ count: Int) {
      guard places != 0 else { return }
      let last = UInt64(UInt64.bitWidth &- 1 &- places.leadingZeroBitCount)
      errors = min(errors, count &+ ((missing &>> last) &>> 1).nonzeroBitCount)
    }
    add(rows[letters].none, 0)
    add(rows[letters].one, 1)
    add(rows[letters].two, 2)
    // The previous pass has found all names with fewer errors.
    let counted = pass == .twoErrors ? limit : errors
    return errors <= limit && bounds.score &- counted &* NameScore.edit >= least
  }

  /// Follows the letters that the names of a node share; its children or names continue the path.
  private mutating func enter(
    _ node: RadixTrie.Node, letters: Int, bytes: Int, isStarted: Bool, _ names: NameTable
  ) {
    guard !node.texts.isEmpty else { return }
    let text = names.keys.key(at: node.texts.lowerBound)
    var (letters, bytes, isStarted) = (letters, bytes, isStarted)
    while bytes < node.depth {
      var end = bytes
      guard let letter = NameBounds.letter({ text.byte($0) }, &end), end <= node.depth else { break }
      guard accepts(letter, at: letters + 1) else { return }
      (letters, bytes) = (letters + 1, end)
      if !isStarted, isStart(letters) {
        isStarted = true
        started.append(node.texts)
      }
    }
    if node.children.isEmpty {
      leaf = (node.texts, letters, bytes, isStarted)
    } else {
      frames.append(
        Frame(node: node, children: node.children, letters: letters, bytes: bytes, isStarted: isStarted))
    }
  }

  /// Whether the key differs from the first `letters` letters of the path by at most one error.
  private func isStart(_ letters: Int) -> Bool { rows[letters].one & lastLetter != 0 }

  /// Compares the next name of the leaf, and skips those with the same key.
  private mutating func compareNextName(_ names: NameTable) {
    let entries = names.entriesOfKey(at: leaf.texts)
    leaf.texts = entries.upperBound..<leaf.texts.upperBound
    let text = names.keys.key(at: entries.lowerBound)
    var (letters, bytes, isStarted) = (leaf.letters, leaf.bytes, leaf.isStarted)
    while let letter = NameBounds.letter({ text.byte($0) }, &bytes) {
      guard accepts(letter, at: letters + 1) else { return }
      letters += 1
      if !isStarted, isStart(letters) {
        isStarted = true
        started.append(entries)
      }
    }
    let row = rows[letters]
    guard row.two & lastLetter != 0 else { return }
    let edits = row.none & lastLetter != 0 ? 0 : row.one & lastLetter != 0 ? 1 : 2
    guard edits <= Self.allowedEdits(max(self.letters, letters - row.spaces)), edits == 0 || hasDigits(of: text) else {
      return
    }
    near = (entries, edits)
  }

  /// Whether a name has the digits of the key, in the same order.
  private func hasDigits(of name: ArenaText) -> Bool {
    var (found, offset) = (0, 0)
    while let letter = NameBounds.letter({ name.byte($0) }, &offset) {
      guard Self.isDigit(letter) else { continue }
      guard found < digits.count, digits[found] == letter else { return false }
      found += 1
    }
    return found == digits.count
  }

  private static let space = UInt32(UInt8(ascii: " "))

  private static func isDigit(_ letter: UInt32) -> Bool { letter &- UInt32(UInt8(ascii: "0")) < 10 }

  /// Computes the row for the path's letter at `depth`, from 1; returns whether longer names on this path can still
  /// match.
  @inline(__always)
  private mutating func accepts(_ letter: UInt32, at depth: Int) -> Bool {
    guard depth < rows.count, depth > 1 || (letter == pattern[0]) != (pass == .firstLetter) else { return false }
    let (above, equal) = (rows[depth &- 1], places(of: letter))
    // The empty start of the key matches with as many errors as the path has letters.
    let (first, second): (UInt64, UInt64) = (depth == 1 ? 1 : 0, depth <= 2 ? 1 : 0)
    let third: UInt64 = depth <= 3 ? 1 : 0
    var row = Row(equal: equal, spaces: above.spaces &+ (letter == Self.space ? 1 : 0))
    row.none = (above.none &<< 1 | first) & equal
    // The letter is right, extra, or wrong; or the letter before it is missing from the path.
    row.one = (above.one &<< 1 | second) & equal | above.none | above.none &<< 1 | first | row.none &<< 1
    // The letter and the one before it are swapped.
    let (before, swapped) = depth > 1 ? (rows[depth &- 2], above.equal & equal &<< 1) : (above, 0)
    row.one = (row.one | (before.none &<< 2 | second &<< 1) & swapped) & allLetters
    row.two = (above.two &<< 1 | third) & equal | above.one | above.one &<< 1 | second | row.one &<< 1 | first
    row.two = limit == 1 ? row.one : (row.two | (before.one &<< 2 | third &<< 1) & swapped) & allLetters
    rows[depth] = row
    return row.two != 0 || depth <= limit
  }
}
