import CitiesProtocol
import TestSupport
import Testing

@Suite struct SchemaTests {
  /// The names of the schema's rules.
  private var rules: Set<String> {
    let text = String(decoding: Schema.cddl, as: UTF8.self)
    return Set(
      text.split(separator: "\n").compactMap { line in
        let name = line.prefix { $0.isLowercase || $0.isNumber || $0 == "-" }
        return !name.isEmpty && line.dropFirst(name.count).drop { $0 == " " }.first == "=" ? String(name) : nil
      })
  }

  @Test func `embedded schema is the file byte for byte`() throws {
    #expect(Schema.cddl == (try Repository.bytes(Repository.path("Protocol/cities.cddl"))))
  }

  @Test(arguments: MessageRegistry.all.map { $0.method })
  func `registered message has rules for its parts and frames`(method: String) {
    let stem = method.split(separator: ".").joined(separator: "-")
    for part in ["params", "result", "request", "reply"] {
      #expect(rules.contains("\(stem)-\(part)"), "no rule \(stem)-\(part)")
    }
  }

  @Test func `events and error codes have rules`() {
    #expect(rules.isSuperset(of: ["watch-event", "watch-news", "frame", "request", "reply", "event", "error-reply"]))
    for code in GoldenVectorTests.codes { #expect(rules.contains("error-\(code.rawValue)"), "no rule for \(code)") }
  }

  @Test func `methods are distinct and in the order of the registry`() {
    let methods = MessageRegistry.all.map { $0.method }
    #expect(Set(methods).count == methods.count)
    #expect(methods.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLowercase || $0 == "." } })
  }
}
