import Testing

@testable import FrameService

@Suite struct PerConnectionTests {
  @Test func `values belong to one connection each, and not to a later one in its place`() {
    var values = PerConnection<String>()
    let (first, second) = (ConnectionID(slot: 3, turn: 0), ConnectionID(slot: 90, turn: 7))
    #expect(values[first] == nil)
    values[first] = "one"
    values[second] = "two"
    #expect(values[first] == "one" && values[second] == "two" && values[ConnectionID(slot: 4, turn: 0)] == nil)
    let later = ConnectionID(slot: 3, turn: 1)
    #expect(values[later] == nil)
    values[later] = "new"
    #expect(values[first] == nil && values[later] == "new")
  }

  @Test func `a closed connection has no value and takes no memory`() {
    var values = PerConnection<Int>()
    values[ConnectionID(nil)] = 1
    #expect(values[ConnectionID(nil)] == nil && values.entries.isEmpty)
  }
}
