import CSimulatedCalls
import Glibc

/// A file of the simulated tree; its bytes lie in real memory, which the server maps.
final class SimulatedFile {
  let inode: UInt64
  /// The real descriptor of its memory.
  let memory: Int32
  /// What it holds, as the oracle knows it; nil for damaged files.
  let image: Image?
  var size: Int
  var links: UInt64 = 1
  var modified: Int64
  var changed: Int64
  /// When its bytes became others than those of its image; nil as long as they are the same.
  var brokenAt: Int64?
  /// When a program first opened it for writing, or changed its times.
  fileprivate(set) var writtenSince: Int64?
  fileprivate var writers = 0
  fileprivate var leases: [OpenFile] = []
  fileprivate var isBreaking = false
  fileprivate var waitingWriter: (() -> Void)?

  init(inode: UInt64, _ bytes: [UInt8], _ image: Image?, at time: Int64) {
    self.inode = inode
    self.image = image
    memory = simulated_memory_make(bytes, bytes.count)
    size = bytes.count
    (modified, changed) = (time, time)
  }

  deinit { simulated_memory_close(memory) }
}

/// A descriptor of a simulated file.
final class OpenFile: KernelObject {
  let file: SimulatedFile?
  /// Whether it only names the file (O_PATH).
  let isPathOnly: Bool
  fileprivate var signal: Int32 = 0

  init(_ kernel: Kernel, _ file: SimulatedFile?, isPathOnly: Bool) {
    (self.file, self.isPathOnly) = (file, isPathOnly)
    super.init(kernel)
  }

  override func closed() { kernel.files.release(self) }
}

/// The simulated folders and files, leases on them, and notices of their changes.
final class FileTree {
  private unowned let kernel: Kernel
  /// The files by path.
  private(set) var paths: [String: SimulatedFile] = [:]
  /// All files that were ever there.
  private(set) var all: [SimulatedFile] = []
  private var folders: [String: Int] = ["/": 1, SIMULATED_ROOT: 2]
  private var sockets: [String: UInt64] = [:]
  private var issued: UInt64 = 100

  init(_ kernel: Kernel) { self.kernel = kernel }

  /// How long a writer may have to wait for a lease while the server runs.
  static let leaseTime: Int64 = 45_000_000_000

  /// File times advance in ticks.
  private var tick: Int64 { kernel.timeOfDay / 4_000_000 * 4_000_000 }

  // MARK: The server's calls

  func open(_ path: String, original: Int32, flags: Int32) -> Int32 {
    kernel.spend(1_200)
    if path == "/dev/null" { return kernel.open(OpenFile(kernel, nil, isPathOnly: false)) }
    if kernel.dice.hits(kernel.weather.unreadable) { return -kernel.dice.choose([EIO, EACCES, ENFILE, EINTR]) }
    let file: SimulatedFile?
    if original >= 0 {
      let named: OpenFile = kernel.object(original, "open")
      file = named.file
    } else {
      file = paths[path]
    }
    guard let file else { return -ENOENT }
    return kernel.open(OpenFile(kernel, file, isPathOnly: flags & 0o10_000_000 != 0))
  }

  func status(_ descriptor: Int32, _ status: inout simulated_status) -> Int32 {
    kernel.spend(300)
    if kernel.dice.hits(kernel.weather.unreadable) { return -EIO }
    let open: OpenFile = kernel.object(descriptor, "fstat")
    guard let file = open.file else { return -EBADF }
    kernel.note("status", Int64(file.inode), file.modified)
    fill(&status, file)
    return 0
  }

  func status(_ path: String, _ status: inout simulated_status) -> Int32 {
    kernel.spend(600)
    if let inode = sockets[path] {
      status = simulated_status(inode: inode, links: 1, size: 0, modified: 0, changed: 0, mode: S_IFSOCK | 0o666)
      return 0
    }
    if kernel.dice.hits(kernel.weather.unreadable) { return -EIO }
    guard let file = paths[path] else { return -ENOENT }
    fill(&status, file)
    return 0
  }

  private func fill(_ status: inout simulated_status, _ file: SimulatedFile) {
    status = simulated_status(
      inode: file.inode, links: file.links, size: Int64(file.size), modified: file.modified, changed: file.changed,
      mode: S_IFREG | 0o644)
  }

  func memory(_ descriptor: Int32) -> Int32 {
    kernel.spend(3_000)
    if kernel.dice.hits(kernel.weather.unreadable) { return -ENOMEM }
    let open: OpenFile = kernel.object(descriptor, "mmap")
    return open.file?.memory ?? -ENODEV
  }

  func lease(_ descriptor: Int32, _ command: Int32, _ argument: Int32) -> Int32 {
    kernel.spend(400)
    let open: OpenFile = kernel.object(descriptor, "fcntl")
    guard let file = open.file else { return -EINVAL }
    switch command {
    case 10: open.signal = argument
    case 1024 where argument == F_UNLCK: release(open)
    case 1024:
      kernel.note("lease", Int64(file.inode), Int64(file.writers))
      guard file.writers == 0 else { return -EAGAIN }
      if !file.leases.contains(where: { $0 === open }) { file.leases.append(open) }
    case 1025: return file.leases.contains { $0 === open } && !file.isBreaking ? F_RDLCK : F_UNLCK
    default: break
    }
    return 0
  }

  /// Ends the lease of `open`; a writer that waits for it goes on.
  fileprivate func release(_ open: OpenFile) {
    guard let file = open.file else { return }
    file.leases.removeAll { $0 === open }
    guard file.leases.isEmpty, let writer = file.waitingWriter else { return }
    file.waitingWriter = nil
    file.isBreaking = false
    kernel.after(1_000, writer)
  }

  /// bind(2): a socket at `path`.
  func addSocket(_ path: String) -> Int32 {
    guard sockets[path] == nil else { return -EADDRINUSE }
    issued += 1
    sockets[path] = issued
    return 0
  }

  func unlink(_ path: String) -> Int32 { sockets.removeValue(forKey: path) == nil ? -ENOENT : 0 }

  /// inotify_add_watch(2): the number of the folder, which names its watch.
  func folder(_ path: String) -> Int32 { folders[path].map(Int32.init) ?? -ENOENT }

  // MARK: Other programs

  /// Makes the folder at `path`.
  func makeFolder(_ path: String) {
    guard folders[path] == nil else { return }
    issued += 1
    folders[path] = Int(issued)
    notify(path, WatchEvent.created)
  }

  /// Makes a file and gives it the name `path`, as rename(2) does.
  func publish(_ bytes: [UInt8], _ image: Image?, at path: String) {
    issued += 1
    kernel.note("publish", Int64(issued))
    lose(paths[path])
    let file = SimulatedFile(inode: issued, bytes, image, at: tick)
    paths[path] = file
    all.append(file)
    notify(path, WatchEvent.movedTo)
  }

  /// Removes the file at `path`.
  func remove(_ path: String) {
    guard let file = paths.removeValue(forKey: path) else { return }
    kernel.note("remove", Int64(file.inode))
    lose(file)
    notify(path, WatchEvent.deleted)
  }

  private func lose(_ file: SimulatedFile?) {
    file?.links = 0
    file?.changed = tick
  }

  /// Opens a file for writing, as soon as all leases on it are released.
  func openForWriting(_ file: SimulatedFile, then write: @escaping () -> Void) {
    guard file.waitingWriter == nil else { return }
    // A writer that waits counts as one: no lease is given meanwhile (do_dentry_open() of Linux).
    file.writers += 1
    let open = { [self] in
      kernel.note("writer", Int64(file.inode))
      file.writtenSince = file.writtenSince ?? kernel.now
      write()
    }
    guard !file.leases.isEmpty else { return open() }
    file.isBreaking = true
    file.waitingWriter = open
    for lease in file.leases where lease.signal != 0 { kernel.raise(lease.signal) }
    kernel.after(Self.leaseTime) { [self] in
      guard file.waitingWriter != nil else { return }
      kernel.fail("a writer waited 45 s for a lease, and the kernel took it away")
    }
  }

  /// Ends the time in which `file` is open for writing.
  func closeForWriting(_ file: SimulatedFile, at path: String) {
    file.writers -= 1
    if paths[path] === file { notify(path, WatchEvent.closedAfterWriting) }
  }

  /// Changes the bytes of a file that is open for writing.
  func overwrite(_ file: SimulatedFile, at path: String, _ offset: Int, _ bytes: [UInt8]) {
    touch(file)
    // Other data has equal parts.
    if file.image?.bytes[offset...].starts(with: bytes) == false { file.brokenAt = file.brokenAt ?? kernel.now }
    simulated_memory_write(file.memory, offset, bytes, bytes.count)
    if paths[path] === file { notify(path, WatchEvent.modified) }
  }

  /// Shortens a file that is open for writing.
  func shorten(_ file: SimulatedFile, at path: String, to size: Int) {
    touch(file)
    file.brokenAt = file.brokenAt ?? kernel.now
    file.size = size
    simulated_memory_resize(file.memory, size)
    if paths[path] === file { notify(path, WatchEvent.modified) }
  }

  /// Changes the times of a file.
  func touch(_ file: SimulatedFile) {
    (file.modified, file.changed) = (tick, tick)
    file.writtenSince = file.writtenSince ?? kernel.now
  }

  private func notify(_ path: String, _ mask: UInt32) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    guard let watch = folders[folder] else { return }
    for case let watcher as FolderWatcher in kernel.openObjects {
      watcher.add(Int32(watch), mask, String(path[path.index(after: slash)...]))
    }
  }
}

/// The events of inotify(7).
enum WatchEvent {
  static let modified: UInt32 = 0x2
  static let closedAfterWriting: UInt32 = 0x8
  static let movedTo: UInt32 = 0x80
  static let created: UInt32 = 0x100
  static let deleted: UInt32 = 0x200
  static let overflow: UInt32 = 0x4000
}

/// inotify_init1(2).
final class FolderWatcher: KernelObject {
  private var watches: Set<Int32> = []
  private var events: [(watch: Int32, mask: UInt32, name: String)] = []
  /// Events that are kept at most.
  private static let maximum = 64

  override var readiness: UInt32 { events.isEmpty ? 0 : EpollBits.input }

  /// Watches the folder with this number.
  func watch(_ folder: Int32) { watches.insert(folder) }

  /// Watches it no more.
  func forget(_ folder: Int32) { watches.remove(folder) }

  /// Reports an event in a folder, if that is watched.
  func add(_ folder: Int32, _ mask: UInt32, _ name: String) {
    guard watches.contains(folder) else { return }
    if events.count < Self.maximum {
      events.append((folder, mask, name))
    } else if events.last?.mask != WatchEvent.overflow {
      events.append((-1, WatchEvent.overflow, ""))
    }
    stimulate()
  }

  func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !events.isEmpty else { return -Int(EAGAIN) }
    var filled = 0
    while let event = events.first, let start = buffer.baseAddress {
      let size = simulated_watch_event(start + filled, buffer.count - filled, event.watch, event.mask, event.name)
      guard size > 0 else { break }
      filled += size
      events.removeFirst()
    }
    return filled > 0 ? filled : -Int(EINVAL)
  }
}
