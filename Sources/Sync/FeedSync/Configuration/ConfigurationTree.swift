import FoundationEssentials

/// A JSON object as a list of keys with their values, so that every key is seen: also one that the program does not know.
struct ConfigurationTree {
  /// What stands at a key.
  enum Value: Equatable {
    case text(String)
    case whole(Int)
    /// An object without members.
    case empty

    /// The value as text; `nil` for an empty object.
    var text: String? {
      switch self {
      case .text(let text): text
      case .whole(let number): String(number)
      case .empty: nil
      }
    }
  }

  /// The values by their place, as `["feeds", "cities", "url"]`.
  private(set) var values: [[String]: Value] = [:]

  /// Reads the JSON object in `bytes`.
  ///
  /// - Throws: a `DecodingError`, or ``FeedError`` for a value that no key can have.
  init(json bytes: [UInt8]) throws {
    guard case .object(let members) = try bytes.decoded(Node.self, by: JSONDecoder()) else {
      throw FeedError(.badData, "expected a JSON object")
    }
    try collect(members, at: [])
  }

  private mutating func collect(_ members: [String: Node], at path: [String]) throws {
    for (key, node) in members {
      switch node {
      case .object(let members) where members.isEmpty: values[path + [key]] = .empty
      case .object(let members): try collect(members, at: path + [key])
      case .text(let text): values[path + [key]] = .text(text)
      case .whole(let number): values[path + [key]] = .whole(number)
      case .other:
        throw FeedError(.badData, "\((path + [key]).joined(separator: ".")): expected text or a whole number")
      }
    }
  }

  private enum Node: Decodable {
    case object([String: Node])
    case text(String)
    case whole(Int)
    case other

    init(from decoder: any Decoder) throws {
      if let members = try? decoder.container(keyedBy: Key.self) {
        self = .object(
          try Dictionary(
            uniqueKeysWithValues: members.allKeys.map { ($0.stringValue, try members.decode(Node.self, forKey: $0)) }))
      } else if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
      } else if let number = try? decoder.singleValueContainer().decode(Int.self) {
        self = .whole(number)
      } else {
        self = .other
      }
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
