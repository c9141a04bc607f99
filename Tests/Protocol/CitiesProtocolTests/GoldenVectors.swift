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
  static let all = WireVectors.all.map { GoldenVector(name: $0.name, payload: $0.payload) }

  /// The vectors of a `kind`, such as `city.search.reply`, in all variants.
  static func named(_ kind: String) -> [GoldenVector] {
    all.filter { $0.name == kind || $0.name.hasPrefix("\(kind).") }
  }
}
