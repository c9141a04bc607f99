import TestSupport
import Testing

/// One annotated file of `Protocol/vectors`: the payload of a whole frame.
struct GoldenVector: Sendable, CustomTestStringConvertible {
  /// The file's name without `.hex`, such as `city.search.reply.least`.
  let name: String
  /// The payload.
  let payload: [UInt8]

  var testDescription: String { name }

  /// All vectors, in the order of their names.
  static let all: [GoldenVector] = {
    let folder = Repository.path("Protocol/vectors")
    return Repository.names(in: folder).filter { $0.hasSuffix(".hex") }.map { name in
      do {
        return GoldenVector(name: String(name.dropLast(4)), payload: hex(try Repository.text("\(folder)/\(name)")))
      } catch {
        preconditionFailure("\(name): \(error)")
      }
    }
  }()

  /// The vectors of a `kind`, such as `city.search.reply`, in all variants.
  static func named(_ kind: String) -> [GoldenVector] {
    all.filter { $0.name == kind || $0.name.hasPrefix("\(kind).") }
  }
}

/// The bytes of pairs of hexadecimal digits; blanks, and comments from `#` to the end of a line, are ignored.
private func hex(_ text: String) -> [UInt8] {
  let digits = text.split(separator: "\n").flatMap { line in line.prefix { $0 != "#" }.compactMap(\.hexDigitValue) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
