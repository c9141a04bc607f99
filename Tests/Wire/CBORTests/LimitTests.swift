import CBOR
import TestSupport
import Testing

@Suite struct LimitTests {
  /// How every reader fails on `bytes`.
  private func failures(_ bytes: [UInt8], _ limits: CBORLimits = .init()) -> [CBORError.Kind?] {
    [
      #expect(throws: CBORError.self) { try canonicalized(bytes, limits: limits) }?.kind,
      #expect(throws: CBORError.self) { try CBORDecoder(limits: limits).decode(CBORValue.self, from: bytes) }?.kind,
      bytes.withUnsafeBytes { bytes in
        var reader = CBORReader(bytes, limits: limits)
        do throws(CBORError) { try reader.skip() } catch { return error.kind }
        return nil
      },
    ]
  }

  @Test(arguments: [
    "9bffffffffffffffff", "9b7fffffffffffffff", "bb7fffffffffffffff", "bbffffffffffffffff", "5bffffffffffffffff",
    "7bffffffffffffffff", "9a00010000", "ba7fffffff", "5a7fffffff", "7b8000000000000000", "8201", "a101", "9818",
    "6261",
  ])
  func `declared size beyond the bytes is refused before memory is taken`(bomb: String) {
    #expect(failures(hex(bomb)) == [.truncated, .truncated, .truncated])
  }

  @Test(arguments: ["81", "d8 2a", "a1 00", "9f", "bf 60"])
  func `nesting is allowed to the limit and not beyond`(level: String) throws {
    let limits = CBORLimits(depth: 5)
    let closing = level == "9f" || level == "bf 60" ? [UInt8(0xff)] : []
    func nested(_ depth: Int) -> [UInt8] {
      (0..<depth).flatMap { _ in hex(level) } + [0] + (0..<depth).flatMap { _ in closing }
    }
    #expect(throws: Never.self) { try canonicalized(nested(5), limits: limits) }
    let error = #expect(throws: CBORError.self) { try canonicalized(nested(6), limits: limits) }
    #expect(error?.kind == .limit("depth"))
    #expect(error?.offset == 5 * hex(level).count)
  }

  @Test func `nesting of a whole frame is refused even where the caller asks for more`() {
    let bomb = [UInt8](repeating: 0x81, count: 65_536)
    let most = CBORLimits(depth: .max)
    #expect(most.depth == CBORLimits.maximumDepth)
    #expect(failures(bomb, most) == [.limit("depth"), .limit("depth"), .limit("depth")])
    #expect(failures([UInt8](repeating: 0x9f, count: 65_536), most).prefix(2) == [.limit("depth"), .limit("depth")])
    #expect(
      failures([UInt8](repeating: 0xc1, count: 65_536), most) == [.limit("depth"), .limit("depth"), .limit("depth")])
  }

  @Test func `items are allowed to the limit and not beyond`() throws {
    let limits = CBORLimits(items: 4)
    #expect(throws: Never.self) { try canonicalized(hex("83000000"), limits: limits) }
    #expect(failures(hex("8400000000"), limits) == [.limit("items"), .limit("items"), .limit("items")])
    #expect(failures(hex("9f00000000ff"), limits).prefix(2) == [.limit("items"), .limit("items")])
    #expect(failures(hex("5f4040404040ff"), limits).prefix(2) == [.limit("items"), .limit("items")])
    // The chunks of one string count for the next one, too.
    let two = hex("825f4040ff5f4040ff")
    #expect(failures(two, CBORLimits(items: 6)).prefix(2) == [.limit("items"), .limit("items")])
    #expect(throws: Never.self) { try CBORDecoder(limits: CBORLimits(items: 7)).decode(CBORValue.self, from: two) }
  }

  @Test func `deep value is refused by the encoder too`() {
    indirect enum Chain: Encodable {
      case end
      case link(Chain)
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if case .link(let next) = self { try container.encode(next) }
      }
    }
    func chain(_ length: Int) -> Chain { (1..<length).reduce(.end) { next, _ in .link(next) } }
    #expect(throws: Never.self) { try CBOREncoder().encode(chain(CBORLimits.maximumDepth)) }
    let error = #expect(throws: CBORError.self) { try CBOREncoder().encode(chain(CBORLimits.maximumDepth + 1)) }
    #expect(error?.kind == .limit("depth"))
  }

  /// Comparing every key with every other would take billions of steps here.
  @Test(.timeLimit(.minutes(1))) func `hostile map of a whole frame is checked in time`() throws {
    let keys = (0..<16_000).reversed().flatMap { referenceHead(0, $0) + [0xf6] }
    let map = referenceHead(5, 16_000) + keys
    #expect(try canonicalized(map).count == map.count)
    let twice = referenceHead(5, 16_001) + keys + [0x00, 0xf6]
    let error = #expect(throws: CBORError.self) { try canonicalized(twice) }
    #expect(error?.kind == .malformed("a map key that occurs twice"))
    // Long keys that differ in the last byte only.
    let long = (0..<250).reversed().flatMap {
      referenceHead(3, 250) + [UInt8](repeating: 0x61, count: 249) + [$0 % 64 + 32, 0xf6]
    }
    #expect(throws: CBORError.self) { try canonicalized(referenceHead(5, 250) + long) }
  }
}
