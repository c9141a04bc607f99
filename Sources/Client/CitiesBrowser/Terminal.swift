internal import CNcurses
internal import CitiesCommands
internal import CitiesMap
internal import Glibc
internal import System

/// The terminal as a full screen, with ncurses: shows pictures, reads keys, and restores the terminal when closed.
///
/// The screen is on the controlling terminal, not on standard output, so that `$(citiesctl pick)` works. Only one
/// instance may exist at a time, on one thread.
final class Terminal {
  let charset: Charset
  /// The descriptor to poll for keys.
  let descriptor: Int32
  private let screen: OpaquePointer
  private let restorer: TerminalRestorer
  private var palette: Palette
  private var shown: Picture?
  /// Adjacent cells of one style that are not sent yet.
  @exclusivity(unchecked) private var run: [UInt8] = []
  private var isClosed = false
  /// Whether the terminal reports drags of the mouse.
  private var reportsDrags = false
  private var hasUnreadEscape = false
  /// The text that is being pasted.
  private var pasted: String?

  /// Takes over the terminal.
  ///
  /// - Parameters:
  ///   - type: The value of `TERM`.
  ///   - hasColours: Whether colours may be used.
  /// - Throws: ``TerminalError`` if there is no terminal or it cannot show a screen; the terminal is unchanged then.
  init(type: String?, hasColours: Bool) throws(TerminalError) {
    let type = type ?? ""
    descriptor = try Self.openDevice(type)
    charset = screen_use_locale(LocaleCodeset.isUTF8(ProcessEnvironment.variable) ? 1 : 0) != 0 ? .unicode : .ascii
    restorer = TerminalRestorer(descriptor)
    let device = descriptor
    guard let screen = screen_open(type, device) ?? Self.alike(type).flatMap({ screen_open($0, device) }) else {
      Glibc.close(descriptor)
      throw .unknown(type)
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
    restorer.arm()
    setPaste(true)
  }

  /// The description to use for a terminal without its own, which most hosts do not have of newer terminals.
  private static func alike(_ type: String) -> String? {
    let names = ["xterm", "kitty", "alacritty", "foot", "ghostty", "wezterm", "contour", "rio", "konsole", "vte"]
    return names.contains(where: type.hasPrefix) ? "xterm-256color" : nil
  }

  /// Checks that there is a terminal that may show a screen, without changing it.
  ///
  /// - Throws: ``TerminalError`` if there is none.
  static func requireDevice(type: String?) throws(TerminalError) { Glibc.close(try openDevice(type ?? "")) }

  private static func openDevice(_ type: String) throws(TerminalError) -> Int32 {
    guard !type.isEmpty, type != "dumb" else { throw .incapable(type) }
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .absent }
    return descriptor
  }

  /// The size in cells.
  var size: ScreenSize {
    TerminalSize(descriptor: descriptor).map { ScreenSize(rows: $0.rows, columns: $0.columns) }
      ?? ScreenSize(rows: 24, columns: 80)
  }

  /// Adopts the terminal's current size.
  func resize() -> ScreenSize {
    let size = self.size
    screen_resize(Int32(size.rows), Int32(size.columns))
    // When resized, terminals move, cut or wrap their lines, each in its own way.
    screen_redraw()
    shown = nil
    return size
  }

  /// Shows a picture; only the differences from the last one are sent.
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

  /// Switches reports of mouse drags on or off (xterm's mode 1002), which ncurses does not request.
  private func setDrags(_ isOn: Bool) {
    guard reportsDrags != isOn else { return }
    reportsDrags = isOn
    send("\u{1B}[?1002\(isOn ? "h" : "l")")
  }

  /// Has pasted text enclosed in marks, or not (xterm's mode 2004).
  private func setPaste(_ isOn: Bool) { send("\u{1B}[?2004\(isOn ? "h" : "l")") }

  /// Copies text to the clipboard through the terminal (xterm's OSC 52); terminals without that ignore it.
  func copy(_ text: String) {
    var encoded: [UInt8] = []
    encoded.appendBase64(Array(text.utf8))
    send("\u{1B}]52;c;\(String(decoding: encoded, as: UTF8.self))\u{07}")
  }

  private func send(_ sequence: String) { try? OutputStream.write(Array(sequence.utf8), to: descriptor) }

  private func put(_ cells: ArraySlice<Picture.ScreenCell>, _ columns: Range<Int>, at row: Int) {
    var (style, start) = (Style.plain, columns.lowerBound)
    for column in columns {
      let cell = cells[cells.startIndex + column]
      // Text other than ASCII is placed on its own: if ncurses assumes another width, the rest of the row is still in
      // its place.
      let isAlone = run.last.map { $0 >= 0x80 } ?? false
      if cell.style != style || (isAlone && !cell.text.isEmpty) {
        putRun(row, start, style)
        (style, start) = (cell.style, column)
      }
      if cell.text.utf8.count == 1, let byte = cell.text.utf8.first {
        run.append(byte)
      } else {
        run.append(contentsOf: cell.text.utf8)
      }
    }
    putRun(row, start, style)
  }

  private func putRun(_ row: Int, _ column: Int, _ style: Style) {
    let (attributes, pair) = palette.appearance(of: style)
    run.withUnsafeBytes { bytes in
      guard let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self), !bytes.isEmpty else { return }
      screen_put(Int32(row), Int32(column), text, Int32(bytes.count), attributes, pair)
    }
    run.removeAll(keepingCapacity: true)
  }

  /// The next key; `nil` if none was pressed.
  func nextKey() -> KeyPress? {
    var raw = screen_key()
    while hasUnreadEscape || screen_next_key(&raw) != 0 {
      if let pasted = takePasted(raw) {
        guard let text = pasted.text else { continue }
        return .paste(text)
      }
      if hasUnreadEscape || Self.isEscape(raw) {
        hasUnreadEscape = false
        // Alt with a key sends an escape and the key at once, faster than anyone types.
        guard screen_next_key(&raw) != 0 else { return .escape }
        if Self.isEscape(raw) {
          hasUnreadEscape = true
          return .escape
        }
        guard raw.code == 0, case .character(let character)? = KeyPress(raw) else { return KeyPress(raw) }
        guard character.is("[") || character.is("O") else { return .alt(character) }
        skipSequence(&raw)
        continue
      }
      if let key = KeyPress(raw) { return key }
    }
    return nil
  }

  /// Takes a key that is a part of pasted text; `nil` for any other.
  ///
  /// - Returns: The whole text at its end. Line breaks and tabs are spaces; other control characters are left out.
  private func takePasted(_ raw: screen_key) -> (text: String?, Void)? {
    guard !hasUnreadEscape else { return nil }
    if raw.code == screen_key_paste {
      pasted = ""
    } else if raw.code == screen_key_pasted {
      defer { pasted = nil }
      return pasted.map { ($0, ()) }
    } else if pasted == nil {
      return nil
    } else if raw.code == 0, let key = KeyPress(raw) {
      switch key {
      case .character(let character): pasted?.append(character)
      case .tab, .enter: pasted?.append(" ")
      default: break
      }
    }
    return (nil, ())
  }

  private static func isEscape(_ raw: screen_key) -> Bool { raw.code == 0 && raw.character == 0x1B }

  /// Skips the rest of a control sequence (ECMA-48 §5.4) that is not in the terminal's description.
  private func skipSequence(_ raw: inout screen_key) {
    while screen_next_key(&raw) != 0, raw.code != 0 || !(0x40...0x7E).contains(raw.character) {}
  }

  /// Restores the terminal, stops this process, and reopens the screen when it continues.
  func suspend() {
    setDrags(false)
    setPaste(false)
    screen_suspend()
    restorer.disarm()
    screen_stop()
    restorer.arm()
    setPaste(true)
    redraw()
  }

  /// Sends everything with the next picture, because the terminal's contents are unknown.
  func redraw() {
    screen_forget()
    shown = nil
  }

  /// Restores the terminal for good.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    setDrags(false)
    setPaste(false)
    screen_close(screen)
    restorer.disarm()
    Glibc.close(descriptor)
  }

  deinit { close() }
}

/// The reason for having no screen.
enum TerminalError: Error, Equatable {
  /// This process has no terminal.
  case absent
  /// A terminal of this type (`TERM`) cannot show one.
  case incapable(String)
  /// There is no description of this type of terminal.
  case unknown(String)
}
