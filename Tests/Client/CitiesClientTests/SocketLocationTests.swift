import CitiesClient
import Testing

@Suite struct SocketLocationTests {
  static let user = "/run/user/1000/cities/citiesd.sock"
  static let system = "/run/cities/citiesd.sock"

  @Test(
    arguments: [
      ("/tmp/a.sock", ["CITIES_SOCKET": "/tmp/b.sock", "XDG_RUNTIME_DIR": "/run/user/1000"], ["/tmp/a.sock"]),
      (nil, ["CITIES_SOCKET": "/tmp/b.sock", "XDG_RUNTIME_DIR": "/run/user/1000"], ["/tmp/b.sock"]),
      (nil, ["CITIES_SOCKET": "relative.sock"], ["relative.sock"]),
      (nil, ["CITIES_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/1000"], [user, system]),
      (nil, ["XDG_RUNTIME_DIR": "/run/user/1000"], [user, system]),
      (nil, ["XDG_RUNTIME_DIR": "run/user/1000"], [system]),
      (nil, ["XDG_RUNTIME_DIR": ""], [system]),
      (nil, [:], [system]),
    ] as [(String?, [String: String], [String])])
  func `candidates follow the rule`(path: String?, environment: [String: String], expected: [String]) {
    #expect(SocketLocation(path: path, environment: { environment[$0] }).candidates == expected)
  }
}
