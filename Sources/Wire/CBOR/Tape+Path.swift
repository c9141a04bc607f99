extension Tape {
  /// One step from a container to what is in it.
  enum Step {
    case key(String)
    case index(Int)
  }

  /// The way from the whole to the item at `target`.
  ///
  /// Found by descending again when somebody asks, so that decoding keeps no paths while all goes well.
  /// - Complexity: O(siblings on the way).
  func steps(to target: Int) -> [Step] {
    var (steps, current) = ([Step](), 0)
    while current < target, target < count {
      let item = items[current]
      var child = current + 1
      switch item.kind {
      case .array:
        var position = 0
        while target >= items[child].next { (child, position) = (Int(items[child].next), position + 1) }
        steps.append(.index(position))
      case .map:
        while target >= items[Int(items[child].next)].next { child = Int(items[Int(items[child].next)].next) }
        steps.append(.key(keyName(at: child)))
        if target >= items[child].next { child = Int(items[child].next) }
      case .tag: break
      default: return steps
      }
      current = child
    }
    return steps
  }

  /// The way to the item at `target`, as `rows[3].name`.
  func path(to target: Int) -> String { pathText(steps(to: target)) }

  /// The text key at `index`; a key of another kind in words.
  func keyName(at index: Int) -> String {
    switch self[index].kind {
    case .text, .chunkedText: string(at: index)
    case .unsigned: String(self[index].argument)
    default: "(\(name(of: index)))"
    }
  }

  /// The text at `index`, which holds text.
  func string(at index: Int) -> String {
    let item = self[index]
    return item.kind == .text
      ? String(decoding: content(of: item), as: UTF8.self) : String(decoding: joinedContent(of: item), as: UTF8.self)
  }

  /// What a message calls the item at `index`.
  func name(of index: Int) -> String {
    let item = self[index]
    switch item.kind {
    case .unsigned: return "integer \(item.argument)"
    case .negative: return "integer \(-1 - Int128(item.argument))"
    case .bytes, .chunkedBytes: return "byte string"
    case .text, .chunkedText: return "text"
    case .array: return "array"
    case .map: return "map"
    case .tag: return "tag \(item.argument)"
    case .float: return "float"
    case .simple:
      return ["false", "true", "null", "undefined"].indices.contains(Int(item.argument) - 20)
        ? ["false", "true", "null", "undefined"][Int(item.argument) - 20] : "simple(\(item.argument))"
    }
  }

  /// The error that the item at `index` is not what was `expected`.
  func mismatch(_ expected: String, at index: Int) -> CBORError {
    error(.mismatch(expected: expected, found: name(of: index)), at: index)
  }

  /// An error about the item at `index`, with its place.
  func error(_ kind: CBORError.Kind, at index: Int) -> CBORError {
    CBORError(kind, offset: Int(self[index].offset), path: path(to: index))
  }
}

/// `rows[3].name` for the steps `rows`, 3, `name`.
func pathText(_ steps: [Tape.Step]) -> String {
  var text = ""
  for step in steps {
    switch step {
    case .key(let name): text += text.isEmpty ? name : ".\(name)"
    case .index(let index): text += "[\(index)]"
    }
  }
  return text
}

/// A key in a path: a name, or a position in an array.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  init(_ step: Tape.Step) {
    switch step {
    case .key(let name): self.init(stringValue: name)
    case .index(let index): self.init(intValue: index)
    }
  }
}
