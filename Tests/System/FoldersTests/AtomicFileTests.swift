import Folders
import Glibc
import System
import TestSupport
import Testing

@Suite("Atomic file")
struct AtomicFileTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write("target", Array("old".utf8))
  }

  private var content: String { (try? Repository.text(path)) ?? "(none)" }

  private enum Step: CaseIterable { case written, synced, renamed }

  private func replace(with text: String, mode: mode_t = 0o644, observe: (Step) -> Void = { _ in }) throws {
    let folder = try OpenFolder(folder.path, isOwn: false)
    let new = try PreparedFile("target", in: folder, mode: mode) { (output) throws(SystemError) in
      try output.write(Array(text.utf8))
      observe(.written)
    }
    observe(.synced)
    try new.rename()
    observe(.renamed)
  }

  @Test func `a kill at any step leaves the old file or the new one, whole`() throws {
    var steps: [Step] = []
    try replace(with: "new") { step in
      steps.append(step)
      #expect(content == (step == .renamed ? "new" : "old"), "after \(step)")
    }
    #expect(steps == Step.allCases)
    #expect(folder.names == ["target"])
  }

  @Test
  func `the remains of a killed writer are removed, the work of a living one and other programs' files are not`() throws
  {
    try folder.write(".target.0123456789abcdef.tmp", Array("half".utf8))
    let others = [
      "unrelated.tmp", ".hidden", ".other.0123456789abcdef.tmp", ".target.0123456789abcde.tmp",
      ".target.0123456789abcdeX.tmp", ".target.tmp", ".X11.tmp",
    ]
    for other in others { try folder.write(other, []) }
    #expect(symlink(try folder.write("victim", []), folder.path(".target.fedcba9876543210.tmp")) == 0)
    try replace(with: "new") { step in
      guard step == .written else { return }
      #expect(throws: Never.self) { try replace(with: "inner") }
      #expect(folder.names.count { $0.hasPrefix(".target.") && $0.hasSuffix(".tmp") } == 5)
    }
    #expect(content == "new")
    #expect(folder.names == (others + ["target", "victim", ".target.fedcba9876543210.tmp"]).sorted())
  }

  @Test func `writers at the same time do not disturb each other: the last to rename wins`() throws {
    try replace(with: "outer") { step in
      guard step == .synced else { return }
      #expect(throws: Never.self) { try replace(with: "inner") }
      #expect(content == "inner")
    }
    #expect(content == "outer")
    #expect(folder.names == ["target"])
  }

  @Test func `an error while writing leaves the old file and no temporary one`() {
    #expect(throws: SystemError("write", "x", code: ENOSPC)) {
      try AtomicFile.replace(path) { (_) throws(SystemError) in throw SystemError("write", "x", code: ENOSPC) }
    }
    #expect(content == "old")
    #expect(folder.names == ["target"])
  }

  @Test func `a missing folder is named`() {
    let failure = #expect(throws: SystemError.self) {
      try AtomicFile.replace("\(folder.path)/none/file") { (_) throws(SystemError) in }
    }
    #expect(failure?.description == "\(folder.path)/none: open: No such file or directory")
  }

  @Test(arguments: ["link", "folder", "pipe"])
  func `a link, a folder, a pipe in the file's place is refused and stays`(kind: String) throws {
    let victim = try folder.write("victim", Array("precious".utf8))
    unlink(path)
    let made =
      switch kind {
      case "link": symlink(victim, path)
      case "folder": mkdir(path, 0o755)
      default: mkfifo(path, 0o600)
      }
    #expect(made == 0)
    #expect(throws: SystemError.notReplaceable(path)) { try replace(with: "new") }
    #expect(try Repository.text(victim) == "precious")
    #expect(folder.names == ["target", "victim"])
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
  }

  @Test(arguments: [0o644, 0o600] as [mode_t])
  func `the mode is the one asked for, less the umask`(mode: mode_t) throws {
    try replace(with: "new", mode: mode)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 & ~mode == 0)
    #expect(status.st_mode & 0o600 == 0o600)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give the folder away"))
  func `what root writes stays root's`() throws {
    #expect(chown(folder.path, 12_345, 23_456) == 0)
    try replace(with: "new")
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_uid == 0)
  }
}
