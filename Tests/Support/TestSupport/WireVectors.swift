/// The golden payloads of `Protocol/vectors`.
package enum WireVectors {
  /// The payload of every vector with its name without `.hex`, such as `city.search.reply.least`, by name.
  package static let all: [(name: String, payload: [UInt8])] = {
    let folder = Repository.path("Protocol/vectors")
    return Repository.names(in: folder).filter { $0.hasSuffix(".hex") }.map { name in
      do {
        return (String(name.dropLast(4)), bytes(of: try Repository.text("\(folder)/\(name)")))
      } catch {
        preconditionFailure("\(name): \(error)")
      }
    }
  }()

  /// The payloads of all requests.
  package static let requests = all.filter { $0.name.split(separator: ".").contains("request") }

  /// The bytes of pairs of hexadecimal digits; blanks, and comments from `#` to the end of a line, are ignored.
  private static func bytes(of text: String) -> [UInt8] {
    let digits = text.split(separator: "\n").flatMap { line in line.prefix { $0 != "#" }.compactMap(\.hexDigitValue) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
