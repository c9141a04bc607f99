import CBOR
import CBORTools
import TestSupport
import Testing

@Suite struct JSONTests {
  @Test(arguments: [
    "null", "true", "[]", "{}", "0", "-1", "18446744073709551616", "-18446744073709551617", "1.5", "0.0000001",
    #"{"a":[1,2.0,"x"],"b":{"c":null}}"#, #""\"\\\n\r\tü𐅑""#, #""\u0000\u001b\u007f\u009c\u061c\u200e\u202e\u2069""#,
    "99999999999999999999999999999999999999",
  ])
  func `text comes back as it was`(json: String) throws {
    #expect(try CBORValue(json: json).json() == json)
    #expect(try CBORValue(decoding: CBORValue(json: json).encoded()).json() == json)
  }

  @Test(arguments: [
    (" [ 1 , 2 ] ", "[1,2]"), ("-0", "0"), ("1E2", "100.0"), ("1.50", "1.5"),
    (#""\u00fc\ud800\udd51\/\b\f""#, #""ü𐅑/\u0008\u000c""#),
    ("1e+4", "10000.0"), ("1e-7", "0.0000001"), ("-0.5E-1", "-0.05"), ("-9223372036854775808", "-9223372036854775808"),
    (#""a\n\"\\\/\u00e9""#, #""a\n\"\\/é""#), (#""\ud83c\udfd9""#, #""🏙""#), ("\t[\r\n]", "[]"),
    (#"{"\u0061":1}"#, #"{"a":1}"#),
  ])
  func `other spelling means the same`(json: String, expected: String) throws {
    #expect(try CBORValue(json: json).json() == expected)
  }

  @Test(arguments: [
    ("", 0), (" ", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[1 2]", 3), ("{", 1), (#"{"a"}"#, 4),
    (#"{"a":}"#, 5), (#"{a:1}"#, 1),
    (#"{"a":1,}"#, 7), (#"{"a":1,"a":2}"#, 7), ("01", 0), ("-", 1), ("+1", 0), (".5", 0), ("1.", 2), ("1e", 2),
    ("1e400", 0), ("nul", 0), ("nulll", 4),
    ("truefalse", 4), (#"""#, 1), (#""\x""#, 1), (#""\u12"#, 5), (#""\u12g4""#, 5), (#""\ud800""#, 1),
    (#""\ud800\u0041""#, 1), (#""\udc00""#, 1), (#""\ud800\uffff""#, 1),
    ("\"\n\"", 1), ("1 1", 2), ("// x", 0), ("NaN", 0), ("100000000000000000000000000000000000000", 0),
    ("tru", 0), ("'a'", 0), (#""\u+123""#, 3), (#""\ud83c\n""#, 1), (#"{"é":1,"e":2,"é":3}"#, 14), ("[1,2}", 4),
  ])
  func `what is not JSON is refused with its offset`(json: String, offset: Int) {
    let error = #expect(throws: JSONError.self, "\(json)") { try CBORValue(json: json) }
    #expect(error?.offset == offset, "\(json): \(String(describing: error))")
  }

  @Test func `depth and items are limited`() {
    let limits = CBORLimits(depth: 3, items: 5)
    #expect(throws: Never.self) { try CBORValue(json: "[[[1]]]", limits: limits) }
    #expect(throws: JSONError("more than 3 nested arrays and objects", offset: 3)) {
      try CBORValue(json: "[[[[]]]]", limits: limits)
    }
    #expect(throws: JSONError("more than 5 values", offset: 9)) {
      try CBORValue(json: "[1,2,3,4,5]", limits: limits)
    }
    #expect(throws: JSONError.self) { try CBORValue(json: String(repeating: "[", count: 1 << 20)) }
  }

  @Test(arguments: [
    ("[1 2]", #"expected "," or "]", found "2" (byte 3)"#),
    ("{a:1}", #"expected a key in double quotes, found "a" (byte 1)"#),
    (#"{"a":"#, "expected a value, found the end of the text (byte 5)"),
    (#"{"a":1,"a":2}"#, #"the key "a" occurs twice (byte 7)"#),
    (#""a"#, "expected the closing quote of a string, found the end of the text (byte 2)"),
    ("1 1", #"expected nothing more, found "1" (byte 2)"#),
  ])
  func `refusal says what is expected and where`(json: String, message: String) {
    let error = #expect(throws: JSONError.self) { try CBORValue(json: json) }
    #expect(error?.description == message)
  }

  @Test func `every cut of a document is refused with its place`() {
    let whole = #"{"a":[1,-2.5e3,"x\u00e9\ud83c\udfd9\n"], "b":{}}"#
    for length in 0..<whole.utf8.count {
      let cut = String(decoding: Array(whole.utf8.prefix(length)), as: UTF8.self)
      let error = #expect(throws: JSONError.self) { try CBORValue(json: cut) }
      // Half of a surrogate pair is refused where its escape starts.
      let place = cut.hasSuffix(#"\ud83c"#) || cut.hasSuffix(#"\ud83c\"#) ? 23 : length
      #expect(error?.offset == place, "\(cut)")
    }
  }

  @Test(arguments: [
    (#"c074323031332d30332d32315432303a30343a30305a"#, #""2013-03-21T20:04:00Z""#), ("c48221196ab3", #""273.15""#),
    ("c482211903e8", #""10.00""#), ("c4822224", #""-0.005""#), ("c4820005", #""5""#), ("c4820505", #""500000""#),
    ("07", "7"), ("20", "-1"), ("3bffffffffffffffff", "-18446744073709551616"),
    ("c249010000000000000000", "18446744073709551616"), ("c349010000000000000000", "-18446744073709551617"),
    ("c24105", "5"),
    ("43010203", #""AQID""#), ("42fbff", #""-_8""#), ("41ff", #""_w""#), ("40", #""""#), ("f7", "null"), ("f0", "null"),
    ("a201020304", #"{"1":2,"3":4}"#), ("d9d9f783010203", "[1,2,3]"), ("c48201f5", "[1,true]"),
    ("fa47c35000", "100000.0"), ("fa501502f9", "10000000000.0"),
  ])
  func `item has its JSON`(encoding: String, json: String) throws {
    #expect(try CBORValue(decoding: hex(encoding)).json() == json)
  }

  @Test func `bignum beyond 1024 bits is text`() throws {
    let long = [UInt8](repeating: 0xff, count: 129)
    #expect(try CBORValue(decoding: hex("c35881") + long).json().hasPrefix(#""~___"#))
    #expect(try CBORValue(decoding: hex("c25881") + long).json().hasPrefix(#""___"#))
    // 2^1024 − 1, by the same digits in base 10^9 and in hexadecimal halves.
    let number = try CBORValue(decoding: hex("c25880") + long.dropLast()).json()
    #expect(
      number.count == 309
        && number.hasPrefix("179769313486231590772930519078902473361797697894230657273430081157732675805500963132708"))
  }

  @Test func `indented text puts each item on its line`() throws {
    let text = try CBORValue(json: #"{"a":[1,{"b":2}],"c":{},"d":[]}"#).json(indented: true)
    #expect(
      text == """
        {
          "a": [
            1,
            {
              "b": 2
            }
          ],
          "c": {},
          "d": []
        }
        """)
  }
}
