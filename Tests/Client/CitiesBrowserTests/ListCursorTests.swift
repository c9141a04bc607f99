import Testing

@testable import CitiesBrowser

@Suite("A list that is moved through")
struct ListCursorTests {
  @Test func `after any moves the selection is a row, and is seen`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var cursor = ListCursor()
      for _ in 0..<20 {
        let (count, height) = (Int.random(in: 0...30, using: &random), Int.random(in: 1...12, using: &random))
        let moves: [ListCursor.Move] = [
          .by(.random(in: -5...5, using: &random)), .pages(.random(in: -2...2, using: &random)), .first, .last,
          .scroll(.random(in: -5...5, using: &random)), .to(.random(in: -3...40, using: &random)),
        ]
        cursor.move(moves[.random(in: 0..<moves.count, using: &random)], count: count, height: height)
        let seen = cursor.seen(count: count, height: height)
        #expect(seen.count == min(count, height))
        #expect(count == 0 ? cursor.selected == 0 : seen.contains(cursor.selected))
      }
    }
  }

  @Test func `pages keep a row of the screen before, and the last screen is a full one`() {
    var cursor = ListCursor()
    cursor.move(.pages(1), count: 100, height: 10)
    #expect((cursor.selected, cursor.top) == (9, 9))
    cursor.move(.last, count: 100, height: 10)
    #expect((cursor.selected, cursor.top) == (99, 90))
    cursor.move(.pages(1), count: 100, height: 10)
    #expect((cursor.selected, cursor.top) == (99, 90))
  }
}
