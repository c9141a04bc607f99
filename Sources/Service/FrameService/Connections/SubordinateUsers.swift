import Folders
import Glibc
package import System

/// The ranges of user ids that belong to logins (subuid(5)).
///
/// A login can run programs under all ids of its range, so the range is served as one user. Only numbers count: names
/// are not looked up.
package struct SubordinateUsers: Sendable {
  /// The largest file that is read, in bytes: about 150,000 logins.
  static let maximumBytes = 4 << 20

  /// Sorted, without common ids.
  private var ranges: [ClosedRange<UInt32>] = []

  /// Reads the list in `file`; it may block.
  ///
  /// - Throws: ``SystemError`` if there is no such file, or it cannot be read, is not regular or is too large.
  package init(file: String) throws(SystemError) {
    let found = try FoundFile(file)
    guard found.kind == .regular, found.status.st_size <= Self.maximumBytes else {
      throw SystemError(path: file, refused: "not a regular file of at most \(Self.maximumBytes) bytes")
    }
    let opened = try found.open()
    self.init(try readAll(opened.number, file, limit: Self.maximumBytes))
  }

  /// Reads `lines` of the form `LOGIN:FIRST:COUNT`, and ignores others.
  ///
  /// Ranges with common ids become one: a peer with such an id may be either login.
  ///
  /// - Complexity: O(*n* log *n*) in the lines.
  package init(_ lines: [UInt8]) {
    let listed = lines.split(separator: UInt8(ascii: "\n")).compactMap(Self.range)
    for range in listed.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let start = ranges.last?.overlaps(range) == true ? ranges.removeLast() : range
      ranges.append(start.lowerBound...max(start.upperBound, range.upperBound))
    }
  }

  private static func range(of line: ArraySlice<UInt8>) -> ClosedRange<UInt32>? {
    let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let numbers = fields.dropFirst().compactMap { UInt64(String(decoding: $0.prefix(32), as: UTF8.self)) }
    guard line.first != UInt8(ascii: "#"), fields.count == 3, numbers.count == 2, numbers[1] > 0,
      let first = UInt32(exactly: numbers[0])
    else { return nil }
    let last = UInt32(clamping: UInt64(first) + min(numbers[1], 1 << 32) - 1)
    // The first id names the account, which must not be that of root or of the server's own user.
    return (first...last).first { !Peer(uid: $0, pid: 0).isTrusted }.map { $0...last }
  }

  /// The user whose account `peer` uses: the first one of its range, or itself.
  ///
  /// - Complexity: O(log *n*) in the ranges.
  func account(of peer: Peer) -> UInt32 {
    let place = ranges.partitionPoint { $0.upperBound < peer.uid }
    let isListed = place < ranges.count && ranges[place].contains(peer.uid)
    return isListed && !peer.isTrusted ? ranges[place].lowerBound : peer.uid
  }
}
