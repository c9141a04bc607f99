/// The selected row of a list, and the row at the top of the screen.
struct ListCursor: Hashable, Sendable {
  private(set) var selected = 0
  /// The first visible row.
  private(set) var top = 0

  /// A movement in a list.
  enum Move: Hashable, Sendable {
    /// By this many rows down, up if negative; the view follows the selection.
    case by(Int)
    /// The view by this many rows down, up if negative; the selection stays in view.
    case scroll(Int)
    /// By this many screens down, up if negative.
    case pages(Int)
    /// To the first row or the last.
    case first, last
    case to(Int)
  }

  /// Moves within `count` rows of which `height` are visible.
  mutating func move(_ move: Move, count: Int, height: Int) {
    switch move {
    case .by(let rows): selected += rows
    case .pages(let pages):
      // One row of the old screen stays visible for orientation.
      let step = pages * max(1, height - 1)
      selected += step
      top += step
    case .scroll(let rows):
      top = max(0, min(top + rows, count - height))
      selected = min(max(selected, top), top + height - 1)
    case .first: selected = 0
    case .last: selected = count - 1
    case .to(let row): selected = row
    }
    settle(count: count, height: height)
  }

  /// Keeps the selection within `count` rows and in view, after moves and when rows or screen have changed.
  mutating func settle(count: Int, height: Int) {
    selected = max(0, min(selected, count - 1))
    top = max(0, min(top, count - height))
    if selected < top { top = selected }
    if selected >= top + height { top = selected - height + 1 }
  }

  /// The wanted row nearest to the selected one, at most `reach` rows away; `nil` for the first row, which stays first.
  func nearest(within reach: Int, _ isWanted: (Int) -> Bool) -> Int? {
    selected == 0 ? nil : (0...reach).lazy.flatMap { [selected - $0, selected + $0] }.first(where: isWanted)
  }

  /// The visible rows of `count`.
  func seen(count: Int, height: Int) -> Range<Int> {
    let start = min(top, max(0, count))
    return start..<max(start, min(count, start + height))
  }
}
