internal import CNcurses
internal import Glibc

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
