import CitiesCommands
import Testing

@Suite struct HelperTests {
  @Test func `a verb that is none of the helpers is wrong use`() throws {
    let result = try outcome(["search", "a"])
    #expect(result.status == .usage && result.output == "")
    #expect(
      result.errors == "citiesctl: citiesctl-helper has no command 'search'; use 'citiesctl search'\n")
  }

  @Test(arguments: [
    ["map", "--width", "9", "1,2"], ["map", "--zoom", "0", "1,2"], ["map", "-o", "png", "1,2"],
    ["map", "1,2", "--near", "1,2"], ["map", "91,2"], ["map", "--first", "--strict", "a"],
  ])
  func `wrong use is 2`(words: [String]) throws {
    let result = try outcome(words)
    #expect(result.status == .usage && result.output == "" && result.errors.contains("usage: citiesctl map"))
  }
}
