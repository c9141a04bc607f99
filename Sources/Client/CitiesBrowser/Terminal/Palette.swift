internal import CNcurses

/// How styles look on a terminal: default colours of its own, a few of its palette, and attributes that tell the same
/// without any colour.
struct Palette {
  private let colours: Int

  /// For a terminal with so many colours, 0 for none.
  init(colours: Int) {
    self.colours = colours
    guard colours >= 8 else { return }
    for colour in Colour.allCases { screen_define_colour(colour.pair, colour.rawValue) }
  }

  /// The colours in use, by their numbers in the palette that all terminals have.
  private enum Colour: Int16, CaseIterable {
    case red = 1
    case cyan = 6

    var pair: Int16 { rawValue }
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
      }
    if style.isSelected { attributes |= screen_reversed }
    return (attributes, colours >= 8 ? colour?.pair ?? 0 : 0)
  }
}
