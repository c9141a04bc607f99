import CBOR
import CBORTools
import TestSupport
import Testing

/// The diagnostic notation of what `CBOREncoder` makes of `value`.
func encodedDiagnostic(_ value: some Encodable) throws -> String {
  try CBORValue(decoding: CBOREncoder().encode(value)).diagnostic
}

extension Encoder {
  /// Encodes `value` as the single value of this encoder.
  func encodeSingle(_ value: some Encodable) throws {
    var container = singleValueContainer()
    try container.encode(value)
  }
}

@Suite struct CodableTests {
  private enum Key: String, CodingKey { case a, b, c }

  /// Encodes by a closure, so that a test can use an encoder as it likes.
  struct Custom: Encodable {
    var body: (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  @Test(
    arguments: [
      (Int8.min as any Encodable & Sendable, "-128"), (Int16.max, "32767"), (Int32.min, "-2147483648"),
      (Int64.min, "-9223372036854775808"),
      (UInt8.max, "255"), (UInt16.max, "65535"), (UInt32.max, "4294967295"), (UInt.max, "18446744073709551615"),
      (Int128(UInt64.max), "18446744073709551615"), (Int128(UInt64.max) + 1, "18446744073709551616"),
      (-1 - Int128(UInt64.max), "-18446744073709551616"), (-2 - Int128(UInt64.max), "-18446744073709551617"),
      (Int128.min, "-170141183460469231731687303715884105728"),
      (Int128.max, "170141183460469231731687303715884105727"),
      (Float(1.5), "1.5"), ("ü", #""ü""#), (true, "true"), ([Int?.none, 1], "[null, 1]"), ([3: "c"], #"{"3": "c"}"#),
      ([[Int]](), "[]"), (CBORBytes([1, 255]), "h'01ff'"), (CBORTagged(tag: 1, content: 7), "1(7)"),
    ] as [(any Encodable & Sendable, String)])
  func `scalar has its notation`(value: any Encodable & Sendable, diagnostic: String) throws {
    #expect(try encodedDiagnostic(value) == diagnostic)
  }

  @Test func `integers of every width come back or are refused`() throws {
    for value in [
      Int128.min, -1 - Int128(UInt64.max), Int128(Int64.min), -129, -128, -1, 0, 127, 128, 255, 256, 65_536, 1 << 64,
      .max,
    ] {
      let bytes = try CBOREncoder().encode(value)
      #expect(try CBORDecoder().decode(Int128.self, from: bytes) == value)
      func check<Narrow: FixedWidthInteger & Codable>(_ type: Narrow.Type) {
        #expect((try? CBORDecoder().decode(type, from: bytes)) == Narrow(exactly: value), "\(value) as \(type)")
      }
      check(Int8.self)
      check(Int16.self)
      check(Int32.self)
      check(Int64.self)
      check(Int.self)
      check(UInt8.self)
      check(UInt16.self)
      check(UInt32.self)
      check(UInt64.self)
      check(UInt.self)
    }
  }

  @Test func `same encoder asked twice goes on with its container`() throws {
    class Base: Encodable { var base = 1 }
    final class Derived: Base {
      override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(2, forKey: .a)
      }
    }
    #expect(try encodedDiagnostic(Derived()) == #"{"a": 2, "base": 1}"#)
  }

  @Test func `value that encodes nothing is an empty map`() throws {
    struct Empty: Codable, Equatable {}
    #expect(try encodedDiagnostic(Empty()) == "{}")
    #expect(try encodedDiagnostic([Custom { _ in }]) == "[{}]")
    #expect(try CBORDecoder().decode(Empty.self, from: hex("a0")) == Empty())
  }

  @Test func `misuse is an error and no garbage`() {
    let misuses: [(String, (any Encoder) throws -> Void)] = [
      (
        "two values",
        {
          try $0.encodeSingle(1); try $0.encodeSingle(2)
        }
      ),
      (
        "array and map",
        {
          _ = $0.unkeyedContainer(); _ = $0.container(keyedBy: Key.self)
        }
      ),
      (
        "value and map",
        {
          try $0.encodeSingle(1); _ = $0.container(keyedBy: Key.self)
        }
      ),
      (
        "a key twice",
        { encoder in
          var container = encoder.container(keyedBy: Key.self)
          try container.encode(1, forKey: .a)
          try container.encode(1, forKey: .a)
        }
      ),
      (
        "outer container out of turn",
        { encoder in
          var outer = encoder.unkeyedContainer()
          var same = outer
          try outer.encode(
            Custom {
              _ = $0.unkeyedContainer(); try same.encode(1)
            })
        }
      ),
      (
        "a nested list",
        { encoder in
          var outer = encoder.unkeyedContainer()
          var inner = outer.nestedUnkeyedContainer()
          try inner.encode(1)
        }
      ),
      (
        "a nested map",
        { encoder in
          var outer = encoder.container(keyedBy: Key.self)
          _ = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
        }
      ),
      (
        "a superclass",
        { encoder in
          var outer = encoder.container(keyedBy: Key.self)
          try outer.superEncoder().encodeSingle(1)
        }
      ),
      (
        "an error of its own",
        { throw EncodingError.invalidValue(1, .init(codingPath: $0.codingPath, debugDescription: "no")) }
      ),
    ]
    for (name, body) in misuses {
      let error = #expect(throws: CBORError.self, "\(name)") { try CBOREncoder().encode(["x": Custom(body: body)]) }
      guard case .unencodable = error?.kind else {
        return #expect(Bool(false), "\(name): \(String(describing: error))")
      }
      #expect(error?.path.hasPrefix("x") == true, "\(name): \(String(describing: error))")
    }
  }

  @Test func `coding paths are those of the value`() throws {
    var paths: [String] = []
    func note(_ path: [any CodingKey]) { paths.append(path.map(\.stringValue).joined(separator: "/")) }
    _ = try CBOREncoder().encode([
      "x": [
        Custom { encoder in
          note(encoder.codingPath)
          var container = encoder.container(keyedBy: Key.self)
          note(container.codingPath)
          try container.encode(Custom { note($0.codingPath) }, forKey: .b)
        }
      ]
    ])
    #expect(paths == ["x/0", "x/0", "x/0/b"])
  }
}
