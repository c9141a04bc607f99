/// Ranges of positions, ascending: mostly there is one, which takes no memory of its own and is forgotten at no cost.
struct RunList: RandomAccessCollection {
  private var first = 0..<0
  private var rest: [Range<Int>] = []
  /// Ranges in all.
  private(set) var count = 0

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Range<Int> { index == 0 ? first : rest[index - 1] }

  /// Adds a range behind the others.
  mutating func append(_ run: Range<Int>) {
    if count == 0 { first = run } else { rest.append(run) }
    count += 1
  }

  /// Forgets all, and keeps the memory.
  mutating func removeAll() {
    count = 0
    if !rest.isEmpty { rest.removeAll(keepingCapacity: true) }
  }
}
