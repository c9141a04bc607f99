/// What a location is.
package enum LocationKind: Hashable, Sendable, CustomStringConvertible {
  /// A branch with people, code 0.
  case branch
  /// A cash machine, code 1.
  case atm
  /// A machine that takes cash in too, code 2.
  case bna
  /// Something that a source calls by a code we do not know, or by a word.
  case unknown(Int?)

  /// The kind with the code that the finder files use (`t`).
  package init(code: Int) {
    switch code {
    case 0: self = .branch
    case 1: self = .atm
    case 2: self = .bna
    default: self = .unknown(code)
    }
  }

  /// The finder files' code; `nil` for an unknown kind that a source has a word for.
  package var code: Int? {
    switch self {
    case .branch: 0
    case .atm: 1
    case .bna: 2
    case .unknown(let code): code
    }
  }

  /// The kind's name, with the code of an unknown one.
  package var description: String {
    if case .unknown(let code?) = self { return "unknown (\(code))" }
    return category.rawValue
  }

  /// The kind without the code of an unknown one: what is filtered by.
  package var category: LocationCategory {
    switch self {
    case .branch: .branch
    case .atm: .atm
    case .bna: .bna
    case .unknown: .unknown
    }
  }
}

/// A kind as a filter names it.
package enum LocationCategory: String, CaseIterable, Sendable {
  /// Branches.
  case branch
  /// Cash machines.
  case atm
  /// Machines that take cash in too.
  case bna
  /// All that a source calls by an unknown code.
  case unknown

  /// The number that stands for it in an index.
  var number: Int {
    switch self {
    case .branch: 0
    case .atm: 1
    case .bna: 2
    case .unknown: 3
    }
  }
}
