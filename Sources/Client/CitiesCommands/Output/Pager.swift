internal import Glibc
internal import System

/// A program that shows long output page by page, only on a terminal.
struct Pager {
  /// The command, for `sh -c`.
  let command: String

  /// The user's pager: `CITIESCTL_PAGER`, `PAGER`, or else `less`; `nil` if the first that is set is empty or `cat`.
  ///
  /// A dumb terminal cannot go back or erase a prompt, so that it has none.
  init?(environment: (String) -> String?) {
    guard let terminal = environment("TERM"), !["", "dumb"].contains(terminal) else { return nil }
    let command = environment("CITIESCTL_PAGER") ?? environment("PAGER") ?? "less"
    guard !command.isEmpty, command != "cat" else { return nil }
    self.command = command
  }

  /// Whether `text` has more lines than the terminal at `descriptor`.
  static func isNeeded(for text: [UInt8], on descriptor: Int32) -> Bool {
    guard let size = TerminalSize(descriptor: descriptor) else { return false }
    return text.count { $0 == UInt8(ascii: "\n") } >= size.rows
  }

  /// Shows `text` and waits until the user quits.
  ///
  /// - Returns: Whether the pager could be run; if not, nothing was shown.
  func show(_ text: [UInt8]) -> Bool {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return false }
    // The pager must not inherit the end of the pipe that must be closed before it can finish.
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    // A pager that quits early closes the pipe: this must not end the process before the terminal is restored.
    signal(SIGPIPE, SIG_IGN)
    // Ctrl-C is for the pager, in which it may stop a search. The pager has its default action, unlike with SIG_IGN.
    let interrupted = signal(SIGINT) { _ in }
    defer { signal(SIGINT, interrupted) }
    // FRSX: exit at once if the text fits, keep colours, truncate long lines, do not clear the screen.
    setenv("LESS", "FRSX", 0)
    let child = spawn(reading: ends[0])
    close(ends[0])
    if child != nil { try? OutputStream.write(text, to: ends[1]) }
    close(ends[1])
    guard let child else { return false }
    let ending = ProgramEnding(waitingFor: child)
    // The shell's exit statuses for a command that it could not run (POSIX, "Exit Status for Commands").
    return ending != .exited(126) && ending != .exited(127)
  }

  private func spawn(reading input: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    var child: pid_t = 0
    let failure = withArguments(["sh", "-c", command]) { posix_spawn(&child, "/bin/sh", &actions, nil, $0, environ) }
    return failure == 0 ? child : nil
  }
}
