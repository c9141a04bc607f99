/// How a cell is emphasized, by what it means; a terminal makes of it what it can.
struct Style: Hashable, Sendable {
  /// What a cell's text is.
  enum Role: Hashable, Sendable, CaseIterable {
    /// Text like any other.
    case plain
    /// What matters less.
    case faint
    /// What matters more.
    case strong
    /// What the filter has matched.
    case match
    /// The head of a part of the screen.
    case heading
    /// What is wrong.
    case problem
    /// What a map is about.
    case mark
  }

  /// What it is.
  var role: Role
  /// Whether it is part of what is selected.
  var isSelected: Bool

  /// Puts a style together.
  init(_ role: Role = .plain, isSelected: Bool = false) { (self.role, self.isSelected) = (role, isSelected) }

  /// Text like any other.
  static let plain = Style()
}
