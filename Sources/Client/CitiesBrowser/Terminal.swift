internal import CNcurses
internal import CitiesCommands
internal import Glibc

/// The terminal as a screen, by ncurses: pictures out, keys in, and as it was when it is closed.
///
/// The screen is on the controlling terminal, not on standard output, so that `$(citiesctl pick)` works. There is one
/// at a time, and it belongs to one thread.
final class Terminal {
  let charset: Charset
  /// The descriptor to poll for keys.
  let descriptor: Int32
  private let screen: OpaquePointer
  private let rescue: Rescue
  private var palette: Palette
  private var shown: Picture?
  /// Neighbours of one style, on their way to the screen.
  @exclusivity(unchecked) private var run: [UInt8] = []
  private var isClosed = false
  /// Whether the terminal reports the mouse while it moves with its button pressed.
  private var reportsDrags = false
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
    screen_spare_bytes()
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
    // Terminals move, cut and wrap their lines when their size changes, each in its own way.
    screen_redraw()
    shown = nil
    return size
  }

  /// Shows a picture; only what differs from the last one is sent.
  func show(_ picture: Picture) {
    guard picture != shown else { return }
    for row in 0..<picture.size.rows {
      if let columns = picture.changed(row: row, since: shown) { put(picture.row(row), columns, at: row) }
    }
    if let cursor = picture.cursor {
      screen_show_cursor(Int32(cursor.row), Int32(cursor.column))
    } else {
      screen_hide_cursor()
    }
    screen_update()
    shown = picture
    if !reportsDrags, screen_capability("kmous") != nil { setDrags(true) }
  }

  /// Has the mouse reported while it moves with its button pressed (xterm's mode 1002), which ncurses does not ask for.
  private func setDrags(_ isOn: Bool) {
    guard reportsDrags != isOn else { return }
    reportsDrags = isOn
    send("\u{1B}[?1002\(isOn ? "h" : "l")")
  }

  /// Puts a text into the clipboard of the terminal (xterm's OSC 52); one that does not know that ignores it.
  func copy(_ text: String) { send("\u{1B}]52;c;\(Self.base64(Array(text.utf8)))\u{07}") }

  private func send(_ sequence: String) { try? OutputStream.write(Array(sequence.utf8), to: descriptor) }

  /// Base64 with padding (RFC 4648 §4).
  static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for begin in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[begin..<min(begin + 3, bytes.count)]
      let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < part.count ? Int(part[begin + $1]) : 0) }
      for place in 0..<4 { text.append(place <= part.count ? digits[bits >> (18 - 6 * place) & 63] : "=") }
    }
    return text
  }

  private func put(_ cells: ArraySlice<Picture.ScreenCell>, _ columns: Range<Int>, at row: Int) {
    var (style, begin) = (Style.plain, columns.lowerBound)
    for column in columns {
      let cell = cells[cells.startIndex + column]
      // Text that is not ASCII is placed on its own: if the terminal's library assumes another width for it, the rest of
      // the row still stands where it belongs.
      let isAlone = run.last.map { $0 >= 0x80 } ?? false
      if cell.style != style || (isAlone && !cell.text.isEmpty) {
        putRun(row, begin, style)
        (style, begin) = (cell.style, column)
      }
      if cell.text.utf8.count == 1, let byte = cell.text.utf8.first {
        run.append(byte)
      } else {
        run.append(contentsOf: cell.text.utf8)
      }
    }
    putRun(row, begin, style)
  }

  private func putRun(_ row: Int, _ column: Int, _ style: Style) {
    let (attributes, pair) = palette.look(of: style)
    run.withUnsafeBytes { bytes in
      guard let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self), !bytes.isEmpty else { return }
      screen_put(Int32(row), Int32(column), text, Int32(bytes.count), attributes, pair)
    }
    run.removeAll(keepingCapacity: true)
  }

  /// The next key that was pressed; `nil` if none was.
  func nextKey() -> KeyPress? {
    var raw = screen_key()
    while hasUnreadEscape || screen_next_key(&raw) != 0 {
      if hasUnreadEscape || Self.isEscape(raw) {
        hasUnreadEscape = false
        // Alt with a key sends an escape and the key at once, faster than anyone types.
        guard screen_next_key(&raw) != 0 else { return .escape }
        if Self.isEscape(raw) {
          hasUnreadEscape = true
          return .escape
        }
        guard raw.code == 0, case .character(let character)? = KeyPress(raw) else { return KeyPress(raw) }
        guard character == "[" || character == "O" else { return .alt(character) }
        skipSequence(&raw)
        continue
      }
      if let key = KeyPress(raw) { return key }
    }
    return nil
  }

  private static func isEscape(_ raw: screen_key) -> Bool { raw.code == 0 && raw.character == 0x1B }

  /// Skips the rest of a sequence (ECMA-48 §5.4) that the terminal's description does not contain.
  private func skipSequence(_ raw: inout screen_key) {
    while screen_next_key(&raw) != 0, raw.code != 0 || !(0x40...0x7E).contains(raw.character) {}
  }

  /// Gives the terminal back, stops this process, and takes the terminal again when it continues.
  func suspend() {
    setDrags(false)
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
    setDrags(false)
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

/// How styles look on a terminal: its own default colours, a few of its palette, and attributes that say the same
/// without any colour.
struct Palette {
  private let colours: Int

  /// The styles for a terminal with `colours` colours, 0 for none.
  init(colours: Int) {
    self.colours = colours
    guard colours >= 8 else { return }
    for colour in Colour.allCases { screen_define_colour(colour.pair, colour.rawValue) }
  }

  /// The colours in use, by their numbers in the palette that all terminals have.
  private enum Colour: Int16, CaseIterable {
    case red = 1
    case blue = 4
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
      case .coast: (0, .blue)
      }
    // Dim or coloured text in reverse is hard to read on a light or on a dark ground: a selection keeps boldness and
    // underlines alone.
    if style.isSelected { (attributes, colour) = (attributes & ~screen_dim | screen_reversed, nil) }
    return (attributes, colours >= 8 ? colour?.pair ?? 0 : 0)
  }
}

extension KeyPress {
  /// The key that the terminal's library reports; `nil` for one without a meaning here.
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

  private static let named: [Int32: KeyPress] = [
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
    case 2: self = .wheelUp(row: Int(raw.row), column: Int(raw.column))
    case 3: self = .wheelDown(row: Int(raw.row), column: Int(raw.column))
    case 4: self = .drag(row: Int(raw.row), column: Int(raw.column))
    default: return nil
    }
  }
}

/// Gives the terminal back where the program dies by its own fault: a handler of its signals.
///
/// The bytes that the handler needs are prepared, because it may only write(2), set the terminal's modes, and leave the
/// signal to its previous handler.
struct Rescue {
  /// Remembers how the terminal is now.
  init(_ descriptor: Int32) {
    rescueDescriptor = descriptor
    tcgetattr(descriptor, &rescueModes)
  }

  /// From now on the terminal is given back; capabilities are those of the screen that is open.
  func arm() {
    // Mouse off, attributes off, cursor seen, keypad off, back from the alternate screen.
    let names = ["sgr0", "cnorm", "rmkx", "rmcup"]
    let parts = names.compactMap { name in screen_capability(name).map { String(cString: $0) } }
    let text = Array(("\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1006l" + parts.map(Self.withoutPadding).joined()).utf8)
    rescueText.deallocate()
    rescueText = UnsafeMutableBufferPointer.allocate(capacity: text.count)
    _ = rescueText.initialize(from: text)
    for fault in faults {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = giveBack
      sigaction(fault, &action, rescuePrevious + Int(fault))
    }
  }

  /// The terminal is no longer ours to give back.
  func disarm() {
    for fault in faults { sigaction(fault, rescuePrevious + Int(fault), nil) }
  }

  /// A capability without its notes about delays, `$<5>`, which only slow printers on paper need.
  private static func withoutPadding(_ capability: String) -> String {
    guard let begin = capability.firstRange(of: "$<")?.lowerBound, let end = capability[begin...].firstIndex(of: ">")
    else { return capability }
    return withoutPadding(String(capability[..<begin] + capability[capability.index(after: end)...]))
  }
}

private let faults = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

// A handler of signals can be given nothing: what it needs are globals, written before it can be called.
nonisolated(unsafe) private var rescueDescriptor: Int32 = -1
nonisolated(unsafe) private var rescueModes = termios()
nonisolated(unsafe) private var rescueText = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
nonisolated(unsafe) private let rescuePrevious = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

private func giveBack(_ signal: Int32) {
  write(rescueDescriptor, rescueText.baseAddress, rescueText.count)
  tcsetattr(rescueDescriptor, TCSANOW, &rescueModes)
  // Raised again, the signal reaches its previous handler, and ends the process.
  sigaction(signal, rescuePrevious + Int(signal), nil)
  raise(signal)
}
