internal import CNcurses

/// The appearance of styles: the terminal's default colours, a few colours of its palette, and attributes that suffice
/// without colours.
struct Palette {
  private let colours: Int

  /// The styles for a terminal with `colours` colours, 0 for none.
  init(colours: Int) {
    self.colours = colours
    guard colours >= 8 else { return }
    for colour in Colour.allCases { screen_define_colour(colour.rawValue, colour.rawValue) }
  }

  /// The colours in use: numbers of the standard palette of 8.
  private enum Colour: Int16, CaseIterable {
    case red = 1
    case green = 2
    case blue = 4
    case cyan = 6

  }

  /// The attributes and the colour pair of a style.
  func appearance(of style: Style) -> (attributes: UInt32, pair: Int16) {
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
    // Dim or coloured text in reverse video is hard to read on a light or a dark background: a selection keeps only
    // bold and underlined.
    if style.isSelected { (attributes, colour) = (attributes & ~screen_dim | screen_reversed, nil) }
    return (attributes, colours >= 8 ? colour?.rawValue ?? 0 : 0)
  }
}
