internal import Base
internal import CNcurses
internal import CitiesCommands
internal import CitiesMap
internal import Glibc
internal import System

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
    let type = type ?? ""
    descriptor = try Self.openDevice(type)
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

  /// Checks that there is a terminal that may show a screen, and leaves it alone.
  ///
  /// - Throws: ``TerminalError`` if there is none.
  static func requireDevice(type: String?) throws(TerminalError) { Glibc.close(try openDevice(type ?? "")) }

  private static func openDevice(_ type: String) throws(TerminalError) -> Int32 {
    guard !type.isEmpty, type != "dumb" else { throw .incapable(type) }
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .absent }
    return descriptor
  }

  /// How many cells it has.
  var size: ScreenSize {
    TerminalSize(descriptor: descriptor).map { ScreenSize(rows: $0.rows, columns: $0.columns) }
      ?? ScreenSize(rows: 24, columns: 80)
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
  func copy(_ text: String) {
    var encoded: [UInt8] = []
    encoded.appendBase64(Array(text.utf8))
    send("\u{1B}]52;c;\(String(decoding: encoded, as: UTF8.self))\u{07}")
  }

  private func send(_ sequence: String) { try? OutputStream.write(Array(sequence.utf8), to: descriptor) }

  private func put(_ cells: ArraySlice<Picture.ScreenCell>, _ columns: Range<Int>, at row: Int) {
    var (style, begin) = (Style.plain, columns.lowerBound)
    for column in columns {
      let cell = cells[cells.startIndex + column]
      // Text that is not ASCII is placed on its own: if the terminal's library assumes another width for it, the rest
      // of the row still stands where it belongs.
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
