import CBOR
import CBORTools
import Glibc
import TestSupport
import Testing

/// The JSON form of every golden vector, which is as fixed as its bytes.
@Suite struct JSONFormTests {
  /// A line for each vector; it is written again if `CITIES_WRITE_FORMS` is set.
  private static let path = Repository.path("Protocol/vectors.jsonl")

  @Test func `every golden vector has the JSON form that is written down`() throws {
    let lines = try WireVectors.all.map { name, payload in
      #"{"vector":"\#(name)","json":\#(try CBORValue(decoding: payload).json())}"# + "\n"
    }
    if getenv("CITIES_WRITE_FORMS") != nil, let file = fopen(Self.path, "we") {
      fputs(lines.joined(), file)
      fclose(file)
    }
    let written = try Repository.text(Self.path).split(separator: "\n").map { "\($0)\n" }
    let wrong = Set(lines).symmetricDifference(written).sorted()
    #expect(
      written == lines,
      """
      \(wrong.count) lines differ; if vectors are new, write the file: \
      CITIES_WRITE_FORMS=1 swift test --skip-build --disable-xctest --filter JSONFormTests
      \(wrong.prefix(4).joined())
      """)
  }
}
