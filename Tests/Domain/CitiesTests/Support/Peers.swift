import Glibc
import TestSupport

/// The representations that the index is measured against: each answers how many titles begin with a prefix.
protocol Peer {
  static var name: String { get }
  init(sortedKeys: [[UInt8]])
  func count(_ prefix: [UInt8]) -> Int
}

/// The list as it came out of JSON: every title is looked at.
struct ListPeer: Peer {
  static let name = "list of strings, scanned"
  let keys: [String]
  init(sortedKeys: [[UInt8]]) { keys = sortedKeys.map { String(decoding: $0, as: UTF8.self) } }
  func count(_ prefix: [UInt8]) -> Int {
    let prefix = String(decoding: prefix, as: UTF8.self)
    return keys.count { $0.utf8.starts(with: prefix.utf8) }
  }
}

/// A sorted array of strings, halved from both ends of the range.
struct SortedPeer: Peer {
  static let name = "sorted [String], bisected"
  let keys: [String]
  init(sortedKeys: [[UInt8]]) { keys = sortedKeys.map { String(decoding: $0, as: UTF8.self) } }
  func count(_ prefix: [UInt8]) -> Int {
    bound { $0.utf8.starts(with: prefix) || !$0.utf8.lexicographicallyPrecedes(prefix) }.distance(
      to: bound { !$0.utf8.starts(with: prefix) && !$0.utf8.lexicographicallyPrecedes(prefix) })
  }
  private func bound(_ isAbove: (String) -> Bool) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if isAbove(keys[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A trie of objects, a node a byte, with its count in every node.
struct TreePeer: Peer {
  static let name = "tree of nodes, one a byte"
  final class Node {
    var children: [(label: UInt8, node: Node)] = []
    var count = 0
  }
  let root = Node()
  init(sortedKeys: [[UInt8]]) {
    for key in sortedKeys {
      var node = root
      node.count += 1
      for byte in key {
        if node.children.last?.label != byte { node.children.append((byte, Node())) }
        node = node.children[node.children.count - 1].node
        node.count += 1
      }
    }
  }
  func count(_ prefix: [UInt8]) -> Int {
    var node = root
    for byte in prefix {
      guard let next = node.children.first(where: { $0.label == byte }) else { return 0 }
      node = next.node
    }
    return node.count
  }
}

/// Every prefix that occurs, with its count.
struct HashPeer: Peer {
  static let name = "hash of all prefixes"
  let counts: [String: Int]
  init(sortedKeys: [[UInt8]]) {
    var counts: [String: Int] = [:]
    for key in sortedKeys {
      for length in 0...key.count { counts[String(decoding: key[..<length], as: UTF8.self), default: 0] += 1 }
    }
    self.counts = counts
  }
  func count(_ prefix: [UInt8]) -> Int { counts[String(decoding: prefix, as: UTF8.self)] ?? 0 }
}

/// Resident bytes of this process, by proc(5).
func residentBytes() -> Int {
  let statm = (try? Repository.text("/proc/self/statm")) ?? ""
  let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
