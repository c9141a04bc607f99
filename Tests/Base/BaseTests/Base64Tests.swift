import Base
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", "", ""), ("a", "YQ==", "YQ"), ("ab", "YWI=", "YWI"), ("abc", "YWJj", "YWJj"),
    ("59.4,24.7", "NTkuNCwyNC43", "NTkuNCwyNC43"), ("ÿ~", "w79+", "w79-"), ("a?ÿ", "YT/Dvw==", "YT_Dvw"),
  ])
  func `both forms are those of the RFC`(text: String, usual: String, forURL: String) {
    func encoded(_ isForURL: Bool) -> String {
      var bytes = Array("x".utf8)
      bytes.appendBase64(Array(text.utf8), forURL: isForURL)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(encoded(false) == "x\(usual)" && encoded(true) == "x\(forURL)")
  }
}
