import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import FrameService

@Suite struct RequestHeadTests {
  /// Reads `bytes`: the id, method and parameters, or the error and the id known by then.
  static func read(
    _ bytes: [UInt8], limits: CBORLimits = CBORLimits()
  ) -> (id: UInt64, method: String, params: [UInt8], error: CBORError?) {
    bytes.withUnsafeBytes { bytes in
      var head = RequestHead()
      var failure: CBORError?
      do throws(CBORError) { try head.read(bytes, limits: limits) } catch { failure = error }
      return (head.id, String(decoding: head.method, as: UTF8.self), Array(head.params), failure)
    }
  }

  /// A map of the given pairs, in the order given.
  static func map(_ pairs: [(String, [UInt8])]) -> [UInt8] {
    var writer = CBORWriter()
    writer.writeMap(count: pairs.count)
    for (key, value) in pairs {
      writer.writeText(key)
      writer.writeEncoded(value)
    }
    return writer.bytes
  }

  static let method: [UInt8] = [0x61, 0x6D]
  static let valid = map([("id", [7]), ("method", method), ("params", [0xA0])])

  @Test func `an encoded request is read back`() throws {
    let bytes = try CBOREncoder().encode(RequestEnvelope(id: 1 << 40, CitySearch(prefix: "al")))
    let head = Self.read(bytes)
    #expect(head.error == nil && head.id == 1 << 40 && head.method == "city.search")
    #expect(try CBORDecoder().decode(CitySearch.self, from: head.params).prefix == "al")
  }

  @Test func `unknown keys are skipped`() {
    let head = Self.read(Self.map([("id", [7]), ("zz", [0x81, 0xF6]), ("method", Self.method), ("params", [0xA0])]))
    #expect(head.error == nil && head.id == 7 && head.method == "m" && head.params == [0xA0])
  }

  @Test(
    arguments: [
      ([("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [7]), ("params", [0xA0])], 7),
      ([("id", [7]), ("method", [0x61, 0x6D])], 7),
      ([("id", [0]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [0x20]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [0x61, 0x31]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [7]), ("method", [1]), ("params", [0xA0])], 7),
      ([("id", [7]), ("method", [0x61, 0x6D]), ("params", [0x80])], 7),
      ([("id", [7]), ("method", [0x61, 0x6D]), ("params", [0xF6])], 7),
      ([("id", [7]), ("id", [8]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 7),
    ] as [([(String, [UInt8])], UInt64)])
  func `an incomplete or mistyped request is refused with the id that was readable`(
    pairs: [(String, [UInt8])], id: UInt64
  ) {
    let head = Self.read(Self.map(pairs))
    #expect(head.error != nil)
    #expect(head.id == id)
  }

  @Test func `every cut and trailing bytes are refused`() {
    for length in 0..<Self.valid.count { #expect(Self.read(Array(Self.valid.prefix(length))).error != nil) }
    #expect(Self.read(Self.valid + [0]).error?.kind == .trailingBytes)
  }

  @Test func `every flipped bit is read or refused`() {
    for index in Self.valid.indices {
      for bit in 0..<8 {
        var bytes = Self.valid
        bytes[index] ^= 1 << bit
        let head = Self.read(bytes)
        #expect(head.error != nil || head.id > 0)
      }
    }
  }

  @Test func `another order of keys is not deterministic, and well after canonicalizing`() throws {
    let bytes = Self.map([("params", [0xA0]), ("method", Self.method), ("id", [7])])
    #expect(Self.read(bytes).error?.kind == .notDeterministic)
    let head = Self.read(try canonicalized(bytes))
    #expect(head.error == nil && head.id == 7)
  }

  /// Reads `bytes` as the service does: an item that is not deterministic is read again after it is made so.
  static func readAnyEncoding(_ bytes: [UInt8], limits: CBORLimits = CBORLimits()) -> CBORError? {
    let head = read(bytes, limits: limits)
    guard head.error?.kind == .notDeterministic else { return head.error }
    do throws(CBORError) { return read(try canonicalized(bytes, limits: limits), limits: limits).error } catch {
      return error
    }
  }

  /// A request whose parameters are `params` under the key `a`, in the usual, an unusual and another encoding.
  static func encodings(_ params: [UInt8]) -> [[UInt8]] {
    let params: [UInt8] = [0xA1, 0x61, 0x61] + params
    let usual = map([("id", [7]), ("method", method), ("params", params)])
    return [
      usual, map([("id", [7]), ("zz", [0]), ("method", method), ("params", params)]),
      [0xBF] + usual.dropFirst() + [0xFF],
    ]
  }

  @Test(arguments: [(13, true), (14, true), (15, false), (16, false)])
  func `the depth of a request is that of its frame, in every encoding`(arrays: Int, isTaken: Bool) {
    for bytes in Self.encodings([UInt8](repeating: 0x81, count: arrays) + [0]) {
      #expect(Self.readAnyEncoding(bytes) == nil ? isTaken : !isTaken, "\(bytes)")
    }
  }

  @Test(arguments: [4_000, 4_083, 4_085, 4_086, 4_087, 4_088, 4_089, 4_096, 5_000])
  func `the items of a request are those of its frame, in every encoding`(elements: Int) {
    let limits = CBORLimits(items: 4_096)
    let array = [0x99, UInt8(elements >> 8), UInt8(elements & 0xFF)] + [UInt8](repeating: 0, count: elements)
    // The request, its keys and values, the parameters' key and array: nine, and two more with a key that is unknown.
    for (bytes, others) in zip(Self.encodings(array), [9, 11, 9]) {
      let error = Self.readAnyEncoding(bytes, limits: limits)
      #expect(error?.kind == (elements + others <= 4_096 ? nil : .limit("items")), "\(elements)")
    }
  }

  @Test(
    arguments: [[0xC2, 0x41, 7], [0xC2, 0x42, 0, 7], [0xD8, 2, 0x41, 7], [0xC2, 0x5F, 0x41, 7, 0xFF]] as [[UInt8]])
  func `an id that is a bignum but fits a plain integer is taken`(id: [UInt8]) throws {
    let bytes = Self.map([("id", id), ("method", Self.method), ("params", [0xA0])])
    #expect(Self.read(bytes).error?.kind == .notDeterministic)
    #expect(Self.read(try canonicalized(bytes)).id == 7)
  }

  @Test(
    arguments: [[0xC2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0xC3, 0x41, 7], [0xC2, 0xF6], [0xC1, 7]] as [[UInt8]])
  func `an id that is another tag is refused`(id: [UInt8]) {
    #expect(Self.readAnyEncoding(Self.map([("id", id), ("method", Self.method), ("params", [0xA0])])) != nil)
  }

  // MARK: Mutations

  /// A request as a plain look at the tree finds it.
  static func plainlyRead(_ bytes: [UInt8]) -> (id: UInt64, method: String, params: [UInt8])? {
    guard let tree = try? CBORValue(decoding: bytes), case .map(let pairs) = tree else { return nil }
    func value(_ name: String) -> CBORValue? { pairs.first { $0.key == .text(name) }?.value }
    // Encoding again makes a plain integer of a bignum that fits one.
    guard let encodedID = try? value("id")?.encoded(), let whole = try? CBORValue(decoding: encodedID),
      case .unsigned(let id) = whole, id > 0, case .text(let method)? = value("method"),
      let params = value("params"), case .map = params, let encoded = try? params.encoded()
    else { return nil }
    return (id, method, encoded)
  }

  /// The requests of the vectors, and the same as another sender would encode them.
  static let corpus: [[UInt8]] = {
    let others: [[UInt8]] = [
      [0xBF] + Array(valid.dropFirst()) + [0xFF],
      map([("params", [0xA0]), ("method", method), ("id", [0x18, 7])]),
      map([("id", [0xC2, 0x41, 7]), ("method", method), ("params", [0xA0])]),
      map([
        ("id", [7]), ("method", method), ("params", [0xA1, 0x61, 0x61] + [UInt8](repeating: 0x81, count: 13) + [0]),
      ]),
      map([("id", [7]), ("method", [0x7F] + method + method + [0xFF]), ("params", [0xBF, 0xFF])]),
    ]
    return [valid] + others + WireVectors.requests.map(\.payload)
  }()

  @Test(arguments: Mutations.parts(of: .requests))
  func `a mutated request is read as a plain reader reads it, or refused`(part: Mutations) throws {
    try part.run { mutator in
      Self.check(mutator.mutated(mutator.pick(Self.corpus), donor: mutator.pick(Self.corpus)))
    }
  }

  /// The service's way: strict first; an item that is not deterministic is read again after it is made so.
  private static func check(_ bytes: [UInt8]) {
    var head = read(bytes)
    if head.error?.kind == .notDeterministic, let canonical = try? canonicalized(bytes) { head = read(canonical) }
    let plain = plainlyRead(bytes)
    let isRead = head.error == nil
    guard isRead == (plain != nil) else {
      Issue.record("\(isRead ? "read" : "refused"), and the plain reader does not agree: \(bytes)")
      return
    }
    guard let plain else { return }
    if head.id != plain.id || head.method != plain.method || head.params != plain.params {
      Issue.record("read otherwise: \(bytes)")
    }
  }
}
