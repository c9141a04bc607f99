internal import CNcurses
internal import Glibc

/// The terminal as a screen, by ncurses: pictures out, keys in, and as it was when it is closed.
///
/// The screen is on the controlling terminal whatever standard output is, so that `$(citiesctl pick)` works. There is
/// one at a time, and it belongs to one thread.
final class Terminal {
  /// Which characters it shows.
  let charset: Charset
  /// What is polled for keys.
  let descriptor: Int32
  private let screen: OpaquePointer
  private let rescue: Rescue
  private var palette: Palette
  private var shown: Picture?
  private var isClosed = false
  private var hasUnreadEscape = false

  /// Takes over the terminal.
  ///
  /// - Parameters:
  ///   - type: What `TERM` says.
  ///   - hasColours: Whether colours may be used.
  /// - Throws: ``TerminalError`` if there is none, or one that cannot show a screen; it is as it was, then.
  init(type: String?, hasColours: Bool) throws(TerminalError) {
    guard let type, !type.isEmpty, type != "dumb" else { throw .incapable(type ?? "") }
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .absent }
    charset = screen_use_locale() != 0 ? .unicode : .ascii
    rescue = Rescue(descriptor)
    guard let screen = screen_open(type, descriptor) else {
      Glibc.close(descriptor)
      throw .incapable(type)
    }
    self.screen = screen
    guard screen_is_capable() != 0 else {
      screen_close(screen)
      Glibc.close(descriptor)
      throw .incapable(type)
    }
    screen_prepare(1)
    palette = Palette(colours: hasColours ? Int(screen_start_colours()) : 0)
    rescue.arm()
  }

  /// How many cells it has.
  var size: ScreenSize {
    var (rows, columns): (Int32, Int32) = (0, 0)
    guard screen_size(descriptor, &rows, &columns) == 0 else { return ScreenSize(rows: 24, columns: 80) }
    return ScreenSize(rows: Int(rows), columns: Int(columns))
  }

  /// Takes over the size that the terminal has now.
  func resize() -> ScreenSize {
    let size = self.size
    screen_resize(Int32(size.rows), Int32(size.columns))
    shown = nil
    return size
  }

  /// Shows a picture; only what differs from the last one is sent.
  func show(_ picture: Picture) {
    guard picture != shown else { return }
    for row in 0..<picture.size.rows where shown?.size != picture.size || shown?.row(row) != picture.row(row) {
      put(picture.row(row), at: row)
    }
    if let cursor = picture.cursor {
      screen_show_cursor(Int32(cursor.row), Int32(cursor.column))
    } else {
      screen_hide_cursor()
    }
    screen_update()
    shown = picture
  }

  private func put(_ cells: ArraySlice<Picture.Cell>, at row: Int) {
    var (run, style, begin) = ("", Style.plain, 0)
    for (column, cell) in cells.enumerated() {
      // What is not ASCII is placed on its own: should the terminal's library know another width for it, the rest of
      // the row still stands where it belongs.
      let isAlone = run.utf8.last.map { $0 >= 0x80 } ?? false
      if cell.style != style || (isAlone && !cell.text.isEmpty) {
        put(run, row, begin, style)
        (run, style, begin) = ("", cell.style, column)
      }
      run += cell.text
    }
    put(run, row, begin, style)
  }

  private func put(_ run: String, _ row: Int, _ column: Int, _ style: Style) {
    guard !run.isEmpty else { return }
    let (attributes, pair) = palette.look(of: style)
    screen_put(Int32(row), Int32(column), run, Int32(run.utf8.count), attributes, pair)
  }

  /// The next key that was pressed; `nil` if none was.
  func nextKey() -> Key? {
    var raw = screen_key()
    while hasUnreadEscape || screen_next_key(&raw) != 0 {
      if hasUnreadEscape || Self.isEscape(raw) {
        hasUnreadEscape = false
        // Alt with a key sends an escape and the key at once; nobody types that fast.
        guard screen_next_key(&raw) != 0 else { return .escape }
        if Self.isEscape(raw) {
          hasUnreadEscape = true
          return .escape
        }
        guard raw.code == 0, case .character(let character)? = Key(raw) else { return Key(raw) }
        guard character == "[" || character == "O" else { return .alt(character) }
        skipSequence(&raw)
        continue
      }
      if let key = Key(raw) { return key }
    }
    return nil
  }

  private static func isEscape(_ raw: screen_key) -> Bool { raw.code == 0 && raw.character == 0x1B }

  /// Reads over the rest of a sequence (ECMA-48 §5.4) that the terminal's description does not know: it is no text.
  private func skipSequence(_ raw: inout screen_key) {
    while screen_next_key(&raw) != 0, raw.code != 0 || !(0x40...0x7E).contains(raw.character) {}
  }

  /// Gives the terminal back, stops this process, and takes the terminal again when it goes on.
  func suspend() {
    screen_suspend()
    rescue.disarm()
    screen_stop()
    rescue.arm()
    redraw()
  }

  /// Sends everything at the next picture, because what the terminal shows is not known.
  func redraw() {
    screen_forget()
    shown = nil
  }

  /// Gives the terminal back for good.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    screen_close(screen)
    rescue.disarm()
    Glibc.close(descriptor)
  }

  deinit { close() }
}

/// Why there is no screen.
enum TerminalError: Error, Equatable {
  /// This process has no terminal.
  case absent
  /// The terminal, by its `TERM`, cannot show one.
  case incapable(String)
}

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

extension Key {
  /// The key that the terminal's library tells of; `nil` for one that means nothing here.
  init?(_ raw: screen_key) {
    if raw.code == 0 {
      self.init(character: raw.character)
    } else if raw.code == screen_key_mouse {
      self.init(mouse: raw)
    } else if let key = Self.named[raw.code] {
      self = key
    } else if (1...12).contains(raw.code - screen_key_function) {
      self = .function(Int(raw.code - screen_key_function))
    } else {
      return nil
    }
  }

  private static let named: [Int32: Key] = [
    screen_key_up: .up, screen_key_down: .down, screen_key_left: .left, screen_key_right: .right,
    screen_key_home: .home, screen_key_end: .end, screen_key_page_up: .pageUp, screen_key_page_down: .pageDown,
    screen_key_enter: .enter, screen_key_backspace: .backspace, screen_key_delete: .delete,
    screen_key_back_tab: .backTab,
  ]

  private init?(character: UInt32) {
    switch character {
    case 0x09: self = .tab
    case 0x0A, 0x0D: self = .enter
    case 0x1B: self = .escape
    case 0x08, 0x7F: self = .backspace
    case 0x01...0x1A:
      guard let letter = Unicode.Scalar(character + 0x60) else { return nil }
      self = .control(Character(letter))
    default:
      guard character >= 0x20, let scalar = Unicode.Scalar(character), !(0x80..<0xA0).contains(character) else {
        return nil
      }
      self = .character(Character(scalar))
    }
  }

  private init?(mouse raw: screen_key) {
    switch raw.button {
    case 1: self = .press(row: Int(raw.row), column: Int(raw.column))
    case 2: self = .wheelUp
    case 3: self = .wheelDown
    default: return nil
    }
  }
}
