import CZlib
import TestSupport

@testable import FeedSync

/// Zip archives and gzip members: whole and in pieces they are the same, and never larger than allowed.
final class ArchiveTarget: FuzzTarget {
  static let name = "archives"
  private static let limit = 1 << 20

  /// A stored archive with one member, a deflated one, a gzip member, and an empty one.
  static var seeds: [[UInt8]] {
    [
      """
      504b030414000000000000002158bd6039122800000028000000010000006174686520717569636b2062726f776e20666f78 \
      2c2074686520717569636b2062726f776e20666f78504b0102140014000000000000002158bd603912280000002800000001 \
      000000000000000000000080010000000061504b050600000000010001002f000000470000000000
      """,
      """
      504b030414000000080000002158bd6039121a0000002800000001000000612bc94855282ccd4cce56482aca2fcf5348cbaf \
      d05128c1140400504b0102140014000000080000002158bd6039121a00000028000000010000000000000000000000800100 \
      00000061504b050600000000010001002f000000390000000000
      """,
      """
      1f8b08000000000002032bc94855282ccd4cce56482aca2fcf5348cbafd0512881090200e80ebf981e000000
      """,
      """
      1f8b080000000000020303000000000000000000
      """,
    ].map(bytes(ofHex:))
  }

  private static func bytes(ofHex text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  init() {}

  func run(_ input: [UInt8]) throws {
    if Gzip.isPacked(input) || ZipArchive.isArchive(input), let source = try? PackedSource(input, name: "list") {
      let head = source.head
      if let whole = try? source.unpack(limit: Self.limit) {
        var pieces: [UInt8] = []
        try source.forEachPiece(limit: Self.limit) { piece, _ in pieces += piece }
        try compare(whole, pieces, head: head)
      }
    }
    guard let archive = try? ZipArchive(input) else { return }
    guard archive.members.count <= ZipArchive.maximumMembers else { throw FuzzFinding("too many members") }
    for member in archive.members {
      var count = 0
      try? archive.forEachPiece(of: member, limit: Self.limit) { piece, _ in count += piece.count }
      guard count <= Self.limit else { throw FuzzFinding("\(count) bytes") }
    }
  }

  private func compare(_ whole: [UInt8], _ pieces: [UInt8], head: [UInt8]) throws {
    guard whole == pieces, whole.starts(with: head), whole.count <= Self.limit else {
      throw FuzzFinding("\(whole.count) bytes as a whole, \(pieces.count) in pieces, \(head.count) at the start")
    }
  }
}
