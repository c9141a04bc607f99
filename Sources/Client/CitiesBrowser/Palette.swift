internal import CNcurses

/// How styles look on a terminal: its own default colours, a few of its palette, and attributes that say the same
/// without any colour.
struct Palette {
  private let colours: Int

  /// The styles for a terminal with `colours` colours, 0 for none.
  init(colours: Int) {
    self.colours = colours
    guard colours >= 8 else { return }
    for colour in Colour.allCases { screen_define_colour(colour.rawValue, colour.rawValue) }
  }

  /// The colours in use, by their numbers in the palette that all terminals have.
  private enum Colour: Int16, CaseIterable {
    case red = 1
    case green = 2
    case blue = 4
    case cyan = 6

  }

  /// The attributes of a style, and its pair of colours.
  func look(of style: Style) -> (attributes: UInt32, pair: Int16) {
    var (attributes, colour): (UInt32, Colour?) =
      switch style.role {
      case .plain: (0, nil)
      case .faint: (screen_dim, nil)
      case .strong: (screen_bold, nil)
      case .match: (screen_underlined, nil)
      case .heading: (screen_bold, .cyan)
      case .problem, .mark: (screen_bold, .red)
      case .coast: (0, .blue)
      case .land: (screen_dim, .green)
      case .brightLand: (0, .green)
      }
    // Dim or coloured text in reverse is hard to read on a light or on a dark ground: a selection keeps boldness and
    // underlines alone.
    if style.isSelected { (attributes, colour) = (attributes & ~screen_dim | screen_reversed, nil) }
    return (attributes, colours >= 8 ? colour?.rawValue ?? 0 : 0)
  }
}
