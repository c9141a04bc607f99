/// A JSON object that is read key by key, whatever blanks stand around its keys.
///
/// Real files have `"end_minutes "`. A key that is spelt exactly comes before one with blanks. Where a value is not of the
/// type that is asked for, the error names the key, as `location.lat is no number`.
struct TidyObject {
  private let container: KeyedDecodingContainer<AnyKey>
  private let keys: [String: AnyKey]
  /// The keys that lead here, each with a full stop behind it.
  private let path: String

  /// The object that `decoder` stands at.
  ///
  /// - Throws: ``RecordProblem`` if it is none.
  init(_ decoder: any Decoder) throws(RecordProblem) {
    guard let container = try? decoder.container(keyedBy: AnyKey.self) else {
      throw RecordProblem("the record is no object")
    }
    self.init(container, path: "")
  }

  private init(_ container: KeyedDecodingContainer<AnyKey>, path: String) {
    self.container = container
    self.path = path
    keys = Dictionary(container.allKeys.map { ($0.stringValue.trimmingBlanks, $0) }) { one, other in
      one.stringValue == one.stringValue.trimmingBlanks ? one : other
    }
  }

  /// The value of `key` as a `type` that people call `noun`; `nil` if there is none, or `null`.
  private func value<Value: Decodable>(
    _ type: Value.Type, _ key: String, _ noun: String
  ) throws(RecordProblem) -> Value? {
    guard let own = present(key) else { return nil }
    do {
      return try container.decode(type, forKey: own)
    } catch is DecodingError {
      throw RecordProblem("\(path)\(key) is no \(noun)")
    } catch  where type is String.Type {
      throw RecordProblem.invalidText("\(path)\(key)")
    } catch {
      // A number that its type cannot hold is told by an error of FoundationEssentials' own.
      throw RecordProblem("\(path)\(key): the number is out of range")
    }
  }

  /// A text that may be missing.
  func text(_ key: String) throws(RecordProblem) -> String? { try value(String.self, key, "text") }

  /// A text, or a whole number in digits, that may be missing.
  func name(_ key: String) throws(RecordProblem) -> String? {
    if let number = try? whole(key) { return String(number) }
    return try value(String.self, key, "text or whole number")
  }

  /// A whole number that may be missing.
  func whole(_ key: String) throws(RecordProblem) -> Int? { try value(Int.self, key, "whole number") }

  /// A number that may be missing.
  func number(_ key: String) throws(RecordProblem) -> Double? { try value(Double.self, key, "number") }

  /// An object that may be missing.
  func object(_ key: String) throws(RecordProblem) -> TidyObject? {
    guard let own = present(key) else { return nil }
    guard let inner = try? container.nestedContainer(keyedBy: AnyKey.self, forKey: own) else {
      throw RecordProblem("\(path)\(key) is no object")
    }
    return TidyObject(inner, path: "\(path)\(key).")
  }

  /// Records that may be missing.
  func records<Record: FileRecord>(
    _ type: Record.Type, _ key: String
  ) throws(RecordProblem) -> [Result<Record, RecordProblem>]? {
    try value([ListElement<Record>].self, key, "array")?.map(\.result)
  }

  /// What must be there.
  func require<Value>(_ value: Value?, _ key: String) throws(RecordProblem) -> Value {
    guard let value else { throw RecordProblem("\(path)\(key) is missing") }
    return value
  }

  /// Whether `key` is there and `true`, in one of the ways that real files write it; `nil` if it is something else.
  func flag(_ key: String) -> Bool? {
    guard let own = present(key) else { return false }
    if let flag = try? container.decode(Bool.self, forKey: own) { return flag }
    let number = (try? container.decode(Int.self, forKey: own)).map(String.init)
    switch number ?? (try? container.decode(String.self, forKey: own))?.lowercased() {
    case "true", "1": return true
    case "false", "0", "": return false
    default: return nil
    }
  }

  /// The key as it is spelt, if it has a value.
  private func present(_ key: String) -> AnyKey? {
    guard let own = keys[key], (try? container.decodeNil(forKey: own)) == false else { return nil }
    return own
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension String {
  /// The text without white space around it.
  var trimmingBlanks: String {
    let start = drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }
}

/// What is wrong with a record of a file, in one clause.
struct RecordProblem: Error, Equatable, CustomStringConvertible {
  let description: String
  /// Whether bytes that are not UTF-8 are the reason, whose place ``InvalidText`` finds.
  private(set) var isAboutText = false

  init(_ description: String) { self.description = description }

  /// A text of a record is not UTF-8.
  static func invalidText(_ key: String) -> RecordProblem {
    var problem = RecordProblem("\(key) is not UTF-8")
    problem.isAboutText = true
    return problem
  }
}

/// A record that is read from a JSON object.
protocol FileRecord {
  /// Reads it.
  ///
  /// - Throws: ``RecordProblem`` if it cannot be used.
  init(_ object: TidyObject) throws(RecordProblem)
}

/// An element of a list, or what is wrong with it.
///
/// Reading never throws, so that one bad element does not end the list: the outermost decoder gives up only on what is no
/// JSON.
struct ListElement<Record: FileRecord>: Decodable {
  let result: Result<Record, RecordProblem>

  init(from decoder: any Decoder) {
    result = Result { () throws(RecordProblem) in try Record(TidyObject(decoder)) }
  }
}
