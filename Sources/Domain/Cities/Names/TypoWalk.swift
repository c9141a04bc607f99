import Base

/// A search for the names that differ from a key by a few typing errors, which can stop and continue.
///
/// An error is a letter too many, too few or wrong, or two neighbours swapped, and no part of a name is changed twice:
/// the optimal string alignment distance. The first letter must be right. A short key may have no error: see
/// ``allowedEdits(_:)``.
///
/// The walk goes down the trie of names and keeps one row of the distance matrix per letter of the path; where a whole
/// row is above the bound, no name below can be near, and the branch is left (K. Oflazer, "Error-tolerant finite-state
/// recognition", Computational Linguistics 22(1), 1996). A row is a bit per letter of the key for each number of
/// errors, so that the next one takes a few operations (S. Wu, U. Manber, "Fast text searching allowing errors", CACM
/// 35(10), 1992). The letter that leads to a branch is tried before any name below it is read, and so are the
/// ``NameBounds`` of the branch: a letter of the key that no name below has is an error, and a small city is of no use
/// with more errors than a large one that was found.
struct TypoWalk {
  /// The names that one walk looks for.
  ///
  /// More errors come last, when good names may exclude most of the trie.
  enum Pass {
    /// Those with one error, or with one in their start.
    case oneError
    /// Those with two errors.
    case twoErrors
    /// Those with one error, which is in the first letter.
    case firstLetter
  }

  /// Letters of the longest key that is looked for.
  private static let maximumLetters = 64

  /// A node whose children are yet to be looked at.
  private struct Frame {
    let node: RadixTrie.Node
    /// Children that are left.
    var children: Range<Int>
    /// Letters of the path, and bytes that they take.
    let letters: Int
    let bytes: Int
    /// Whether the names below were handed out because of their start.
    let isStarted: Bool
  }

  /// The letters of a path, compared with the key.
  ///
  /// For each number of errors there is a bit for each letter of the key: set if the key, up to and with that letter,
  /// differs from the path by at most that number. The start of the key before its first letter has no bit: it differs
  /// by as many errors as the path has letters.
  private struct Row {
    /// For no error, one and two; for two as for one if there may be one only.
    var none: UInt64 = 0, one: UInt64 = 0, two: UInt64 = 0
    /// The letters of the key that are the last of the path.
    var equal: UInt64 = 0
    /// Spaces of the path.
    var spaces = 0
  }

  private var pattern: [UInt32] = []
  /// A bit for each letter of the key, and for its last one.
  private var allLetters: UInt64 = 0
  private var lastLetter: UInt64 = 0
  /// Where each letter of ASCII, and each other letter of the key, stands in it.
  private var places = [UInt64](repeating: 0, count: 128)
  private var otherPlaces: [(letter: UInt32, places: UInt64)] = []
  /// The classes of the key's letters, and where the letters of each class stand in it.
  private var classes: UInt32 = 0
  private var classPlaces = [UInt64](repeating: 0, count: UInt32.bitWidth)
  /// By letters of the path.
  private var rows: [Row] = []
  private var frames: [Frame] = []
  private var limit = 0
  /// Letters of the key, without spaces.
  private var letters = 0
  /// Positions in a leaf that are yet to be looked at, and the path to it.
  private var leaf = (texts: 0..<0, letters: 0, bytes: 0, isStarted: false)
  /// Names with a key that is near enough, which are yet to be handed out, and its errors.
  private var near = (entries: 0..<0, edits: 0)
  /// Names with a start that is near enough, which are yet to be handed out.
  private var started: [Range<Int>] = []
  /// The errors that this pass allows, and whether starts of names count.
  private var (pass, allowsStarts) = (Pass.oneError, false)

  /// Typing errors between two keys, of which the longer has that number of letters; spaces do not count.
  static func allowedEdits(_ letters: Int) -> Int { letters < 5 ? 0 : letters < 9 ? 1 : mostEdits }
  private static let mostEdits = 2

  /// Starts a walk for `key`, which is folded.
  ///
  /// With `starts` a name may go on after the key, in the pass of one error.
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
    // An error may be a letter that the key lacks: the name may have one letter more for each.
    let wanted = pass == .twoErrors ? Self.mostEdits : 1
    limit = wanted <= Self.allowedEdits(letters + wanted) ? wanted : 0
    allowsStarts = starts && pass == .oneError && Self.allowedEdits(letters) > 0
    guard limit > 0, pattern.count <= Self.maximumLetters, let root = names.trie.root(over: 0..<names.keys.count) else {
      return
    }
    allLetters = UInt64.max >> UInt64(UInt64.bitWidth - pattern.count)
    lastLetter = 1 << UInt64(pattern.count - 1)
    notePlaces()
    rows = [Row](repeating: Row(), count: pattern.count + limit + 2)
    // Letters of the key that are missing at its start.
    (rows[0].one, rows[0].two) = (1, 3)
    enter(root, letters: 0, bytes: 0, isStarted: !allowsStarts, names)
  }

  private mutating func notePlaces() {
    for letter in places.indices { places[letter] = 0 }
    otherPlaces.removeAll(keepingCapacity: true)
    for letterClass in classPlaces.indices { classPlaces[letterClass] = 0 }
    classes = 0
    for (index, letter) in pattern.enumerated() {
      let bit: UInt64 = 1 << UInt64(index)
      classes |= 1 << NameBounds.letterClass(letter)
      classPlaces[Int(NameBounds.letterClass(letter))] |= bit
      if letter < places.count {
        places[Int(letter)] |= bit
      } else if let known = otherPlaces.firstIndex(where: { $0.letter == letter }) {
        otherPlaces[known].places |= bit
      } else {
        otherPlaces.append((letter, bit))
      }
    }
  }

  /// Where a letter stands in the key.
  @inline(__always)
  private func places(of letter: UInt32) -> UInt64 {
    if letter < 128 { return places[Int(letter)] }
    for other in otherPlaces where other.letter == letter { return other.places }
    return 0
  }

  /// Looks at up to `left` nodes and names, of which it takes those from `left`; it stops where something is found.
  ///
  /// A name whose score as a start is less than `least`, less 100 for each error, is of no use.
  ///
  /// Names with equal keys are compared once, but each of those that are found counts: thousands of cities share a
  /// name, and `found` is called for some of them at a time.
  ///
  /// - Returns: whether the walk is finished.
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

  /// Goes to the next child whose letter and bounds fit.
  private mutating func visitNextChild(of frame: Frame, _ left: inout Int, _ names: NameTable, _ least: Int) {
    var frame = frame
    while left > 0, let index = frame.children.first {
      left -= 1
      frame.children = index + 1..<frame.children.upperBound
      let label = names.trie.label(of: index)
      // The letter is known without a look at a name if it is one byte and the path has none left over.
      let isKnown = label > 0 && label < 0x80 && frame.bytes == frame.node.depth
      if isKnown, !accepts(UInt32(label), at: frame.letters + 1) { continue }
      guard mayHold(names.bounds[index], frame.letters + (isKnown ? 1 : 0), least) else { continue }
      // Rows are those of one path: all below the child comes before the next one.
      if !frame.children.isEmpty { frames.append(frame) }
      let child = names.trie.child(index, of: frame.node)
      return enter(child, letters: frame.letters, bytes: frame.bytes, isStarted: frame.isStarted, names)
    }
    if !frame.children.isEmpty { frames.append(frame) }
  }

  /// Whether names with such bounds can be near enough, if they go on after that many letters of the path.
  @inline(__always)
  private func mayHold(_ bounds: (letters: UInt32, score: Int), _ letters: Int, _ least: Int) -> Bool {
    var missing: UInt64 = 0
    var absent = classes & ~bounds.letters
    while absent != 0 {
      missing |= classPlaces[absent.trailingZeroBitCount]
      absent &= absent &- 1
    }
    // The start of the key before its first letter has no bit: all letters of the path are too many.
    var errors = letters <= limit ? letters &+ missing.nonzeroBitCount : limit + 1
    func add(_ places: UInt64, _ count: Int) {
      guard places != 0 else { return }
      let last = UInt64(UInt64.bitWidth &- 1 &- places.leadingZeroBitCount)
      errors = min(errors, count &+ ((missing &>> last) &>> 1).nonzeroBitCount)
    }
    add(rows[letters].none, 0)
    add(rows[letters].one, 1)
    add(rows[letters].two, 2)
    // The pass before has found all names with fewer errors.
    let counted = pass == .twoErrors ? limit : errors
    return errors <= limit && bounds.score &- counted &* NameScore.edit >= least
  }

  /// Follows the letters that the names of a node share; the rest of the path goes to its children or its names.
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

  /// Whether the key differs from that many letters of the path by one error at most.
  private func isStart(_ letters: Int) -> Bool { rows[letters].one & lastLetter != 0 }

  /// Compares the next name of the leaf, and passes over those with the same key.
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
    if edits <= Self.allowedEdits(max(self.letters, letters - row.spaces)) { near = (entries, edits) }
  }

  private static let space = UInt32(UInt8(ascii: " "))

  /// Computes the row of the path's letter at `depth`, from 1; whether names that continue in this way can still be
  /// near enough.
  @inline(__always)
  private mutating func accepts(_ letter: UInt32, at depth: Int) -> Bool {
    guard depth < rows.count, depth > 1 || (letter == pattern[0]) != (pass == .firstLetter) else { return false }
    let (above, equal) = (rows[depth &- 1], places(of: letter))
    // Without the letters before, or all of them too many: as many errors.
    let (first, second): (UInt64, UInt64) = (depth == 1 ? 1 : 0, depth <= 2 ? 1 : 0)
    let third: UInt64 = depth <= 3 ? 1 : 0
    var row = Row(equal: equal, spaces: above.spaces &+ (letter == Self.space ? 1 : 0))
    row.none = (above.none &<< 1 | first) & equal
    // The letter is right; too many; wrong; or the key has one that is missing before.
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
