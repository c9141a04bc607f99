import Base
import Testing

@Suite("Validation of UTF-8")
struct UTF8ValidationTests {
  /// Whether the standard library takes the bytes as they are.
  private func isValid(_ bytes: ArraySlice<UInt8>) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

  private func check(_ bytes: [UInt8]) {
    let invalid = bytes.withUnsafeBytes { firstInvalidUTF8($0) }
    #expect((invalid == nil) == isValid(bytes[...]), "\(bytes)")
    guard let invalid else { return }
    #expect(isValid(bytes[..<invalid]), "\(bytes): \(invalid)")
    let isScalar = (1...4).contains { invalid + $0 <= bytes.count && isValid(bytes[invalid..<(invalid + $0)]) }
    #expect(!isScalar, "\(bytes): \(invalid)")
  }

  @Test func `each byte is found at each place in text of two bytes a letter`() {
    let text = Array("\u{80}é\u{7FF}\u{300}\u{345}\u{323}\u{80}é\u{7FF}".utf8)
    for place in text.indices {
      for byte in UInt8.min...UInt8.max {
        var bytes = text
        bytes[place] = byte
        check(bytes)
      }
      check(Array(text[..<place]))
    }
  }

  @Test func `the first two bytes of longer letters limit each other`() {
    for first in UInt8(0xC0)...0xFF {
      for second in UInt8.min...UInt8.max {
        check([first, second])
        check([first, second, 0x80])
        check([first, second, 0x80, 0xBF, 0x61])
        check([first, second, 0x80, 0xC0, 0x61])
      }
    }
  }
}
