import Glibc
import Testing

@testable import CitiesCommands

@Suite struct LineReaderTests {
  /// The lines of `bytes`, which arrive in chunks of `size`.
  private func lines(_ bytes: [UInt8], chunks size: Int, maximum: Int = 64) throws -> [LineReader.Line] {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    var reader = LineReader(descriptor: ends[0], maximum: maximum)
    var result: [LineReader.Line] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let chunk = Array(bytes[start..<min(start + size, bytes.count)])
      #expect(write(ends[1], chunk, chunk.count) == chunk.count)
      while try reader.hasNext(), let line = try reader.next() { result.append(line) }
    }
    close(ends[1])
    while let line = try reader.next() { result.append(line) }
    return result
  }

  @Test(
    arguments: [
      ("", []), ("a", [.success("a")]), ("a\n", [.success("a")]),
      ("a\n\nb", [.success("a"), .success(""), .success("b")]),
      ("\n", [.success("")]), ("a\r\nb\r\n", [.success("a"), .success("b")]), ("a\rb\n", [.success("a\rb")]),
      ("a\0b\n", [.success("a\0b")]), ("é東\n", [.success("é東")]), (" a \n", [.success(" a ")]),
    ] as [(String, [LineReader.Line])])
  func `lines are the same however they arrive`(text: String, expected: [LineReader.Line]) throws {
    for size in 1...8 { #expect(try lines(Array(text.utf8), chunks: size) == expected) }
  }

  @Test func `bytes that are no text are one line`() throws {
    let notText = LineReader.Line.failure(LineReader.failure("is not valid UTF-8"))
    #expect(try lines([0xFF, 0x0A, 0x61, 0x0A, 0xC3, 0x0A], chunks: 1) == [notText, .success("a"), notText])
  }

  @Test(arguments: [63, 64, 65, 66, 200, 50_000])
  func `line is too long above the limit and the next is read`(length: Int) throws {
    let bytes = [UInt8](repeating: 0x61, count: length) + Array("\nb\n".utf8)
    let tooLong = LineReader.Line.failure(LineReader.failure("has more than 64 bytes, which no request may have"))
    let first = length <= 64 ? .success(String(repeating: "a", count: length)) : tooLong
    for size in [1_000, 60_000] { #expect(try lines(bytes, chunks: size) == [first, .success("b")]) }
  }

  @Test func `another line is seen only when it is whole`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    var reader = LineReader(descriptor: ends[0], maximum: 64)
    #expect(try !reader.hasNext())
    #expect(write(ends[1], "a", 1) == 1)
    #expect(try !reader.hasNext())
    #expect(write(ends[1], "\n", 1) == 1)
    #expect(try reader.hasNext())
    #expect(try reader.next() == .success("a"))
    #expect(try !reader.hasNext())
    close(ends[1])
    #expect(try !reader.hasNext())
    #expect(try reader.next() == nil)
    close(ends[0])
  }

  @Test func `descriptor that cannot be read is an input error`() {
    var reader = LineReader(descriptor: -1, maximum: 64)
    let failure = #expect(throws: CommandFailure.self) { try reader.next() }
    #expect(failure?.status == .inputOutput)
  }
}
