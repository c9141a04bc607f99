import Testing

@testable import System

@Suite struct ProcessorsTests {
  @Test func `the smallest quota of the cgroup and those around it counts, rounded up`() {
    let files = ["": "max 100000\n", "/a": "250000 100000\n", "/a/b": "150000 50000\n"]
    #expect(Processors.quota(of: "1:cpu:/x\n0::/a/b/c\n") { files[$0] } == 3)
    #expect(Processors.quota(of: "0::/a\n") { files[$0] } == 3)
    #expect(Processors.quota(of: "0::/\n") { ["": "50000 100000\n"][$0] } == 1)
  }

  @Test(arguments: ["", "1:cpu:/x\n", "0::/a\n", "0::/\n"])
  func `without a quota there is no limit`(membership: String) {
    #expect(Processors.quota(of: membership) { ["": "max 100000\n", "/a": "0 0\n"][$0] } == .max)
  }

  @Test func `at least one can be used`() { #expect(Processors.usable >= 1) }
}
