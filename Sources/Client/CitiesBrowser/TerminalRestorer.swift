internal import CNcurses
internal import Glibc

/// Restores the terminal when the program crashes: a handler for the signals of crashes.
///
/// The bytes that it writes are prepared in advance, because a handler may call only async-signal-safe functions:
/// write(2), tcsetattr(3), sigaction(2) and raise(3).
struct TerminalRestorer {
  /// Saves the modes of the terminal.
  init(_ descriptor: Int32) {
    terminalDescriptor = descriptor
    tcgetattr(descriptor, &terminalModes)
  }

  /// Installs the handlers, with the capabilities of the open screen.
  func arm() {
    // Mouse and marks of pasted text off, attributes off, cursor visible, keypad off, alternate screen off.
    let names = ["sgr0", "cnorm", "rmkx", "rmcup"]
    let parts = names.compactMap { name in screen_capability(name).map { String(cString: $0) } }
    let modes = "\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1006l\u{1B}[?2004l"
    let text = Array((modes + parts.map(Self.withoutPadding).joined()).utf8)
    restoringText.deallocate()
    restoringText = UnsafeMutableBufferPointer.allocate(capacity: text.count)
    _ = restoringText.initialize(from: text)
    for signal in crashSignals {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = restoreTerminal
      sigaction(signal, &action, previousActions + Int(signal))
    }
  }

  /// Removes the handlers.
  func disarm() {
    for signal in crashSignals { sigaction(signal, previousActions + Int(signal), nil) }
  }

  /// A capability without its padding, such as `$<5>`, which only printing terminals need.
  private static func withoutPadding(_ capability: String) -> String {
    guard let start = capability.firstRange(of: "$<")?.lowerBound, let end = capability[start...].firstIndex(of: ">")
    else { return capability }
    return withoutPadding(String(capability[..<start] + capability[capability.index(after: end)...]))
  }
}

private let crashSignals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

// A signal handler takes no context: its data is in globals, which are written before the handler is installed.
nonisolated(unsafe) private var terminalDescriptor: Int32 = -1
nonisolated(unsafe) private var terminalModes = termios()
nonisolated(unsafe) private var restoringText = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
nonisolated(unsafe) private let previousActions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

private func restoreTerminal(_ signal: Int32) {
  write(terminalDescriptor, restoringText.baseAddress, restoringText.count)
  tcsetattr(terminalDescriptor, TCSANOW, &terminalModes)
  // Raised again, the signal reaches its previous handler, which ends the process.
  sigaction(signal, previousActions + Int(signal), nil)
  raise(signal)
}
