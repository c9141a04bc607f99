import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Resident

/// Leases on files that are open: nobody changes a byte while one is held.
@Suite struct FileLeaseTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("file")
    try Self.write([UInt8](repeating: 7, count: 10_000), path)
  }

  private static func write(_ bytes: [UInt8], _ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let written = Glibc.write(descriptor, bytes, bytes.count)
    close(descriptor)
    try #require(written == bytes.count && waitUntilUnwritten(path))
  }

  @Test func `a file that nobody writes is leased, and others read it meanwhile`() throws {
    let file = try GuardedFile(path, isLeased: true)
    #expect(file.leaseAtOpening == .held && file.lease.isHeld)
    let reader = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(reader) }
    #expect(reader >= 0 && file.lease.isHeld)
    chmod(path, 0o640)
    #expect(rename(path, folder.path("other")) == 0 && file.lease.isHeld)
  }

  @Test func `a time ahead of the clock, which was set back, is no reason to keep a writer waiting`() {
    var status = stat()
    status.st_ctim = timespec(tv_sec: 1_000, tv_nsec: 0)
    let (identity, tick) = (FileIdentity(status), FileIdentity.tick)
    let changed: Int64 = 1_000_000_000_000
    for (now, isFresh) in [(0, true), (tick - 1, true), (tick, false), (1 - tick, true), (-tick, false)] {
      #expect(identity.isFresh(at: changed + now, within: tick) == isFresh, "\(now)")
    }
    #expect(!identity.isFresh(at: changed - 7_200_000_000_000, within: tick))
  }

  @Test func `a file that somebody has open for writing is not leased until it is closed`() throws {
    let writer = open(path, O_RDWR | O_CLOEXEC)
    let file = try GuardedFile(path, isLeased: true)
    #expect(file.leaseAtOpening == .writerPresent && !file.lease.isHeld)
    close(writer)
    #expect(eventually { file.lease.take() == .held } && file.lease.isHeld)
  }

  @Test func `a mapping for writing counts as a writer after its descriptor is closed`() throws {
    let writer = open(path, O_RDWR | O_CLOEXEC)
    let mapped = mmap(nil, 10_000, PROT_READ | PROT_WRITE, MAP_SHARED, writer, 0)
    close(writer)
    let file = try GuardedFile(path, isLeased: true)
    #expect(file.leaseAtOpening == .writerPresent)
    // Its stores would change no time, however long ago the first one was.
    #expect(!file.isSettled)
    munmap(mapped, 10_000)
    #expect(eventually { file.lease.take() == .held })
  }

  @Test(arguments: [O_WRONLY, O_WRONLY | O_TRUNC, O_RDWR])
  func `whoever opens it for writing waits until the lease is released`(flags: Int32) throws {
    let file = try GuardedFile(path, isLeased: true)
    // It would wait in open(2); with O_NONBLOCK it is refused, and the holder is asked all the same.
    #expect(open(path, flags | O_NONBLOCK) == -1 && errno == EWOULDBLOCK)
    #expect(!file.lease.isHeld && file.bytes.allSatisfy { $0 == 7 } && file.bytes.count == 10_000)
    #expect(file.state == file.identity)
    file.lease.release()
    let writer = open(path, flags | O_CLOEXEC)
    #expect(writer >= 0 && file.lease.take() == .writerPresent)
    close(writer)
    #expect(eventually { file.lease.take() == .held })
  }

  @Test func `truncate waits too`() throws {
    let file = try GuardedFile(path, isLeased: true)
    let (name, calls) = (path, Calls())
    let thread = BackgroundThread {
      truncate(name, 0)
      calls.done.store(1, ordering: .sequentiallyConsistent)
    }
    #expect(eventually { !file.lease.isHeld })
    #expect(file.bytes.allSatisfy { $0 == 7 })
    #expect(calls.done.load(ordering: .sequentiallyConsistent) == 0)
    file.lease.release()
    thread.join()
    #expect(calls.done.load(ordering: .sequentiallyConsistent) == 1 && file.state != file.identity)
  }

  @Test func `the signal finds the thread that took the lease`() throws {
    let (name, calls) = (path, Calls())
    let thread = BackgroundThread {
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, FileLease.signal)
      pthread_sigmask(SIG_BLOCK, &set, nil)
      guard let file = try? GuardedFile(name, isLeased: true), open(name, O_WRONLY | O_NONBLOCK) == -1 else { return }
      var time = timespec(tv_sec: 10, tv_nsec: 0)
      guard sigtimedwait(&set, nil, &time) == FileLease.signal, !file.lease.isHeld else { return }
      calls.done.store(1, ordering: .sequentiallyConsistent)
    }
    thread.join()
    #expect(calls.done.load(ordering: .sequentiallyConsistent) == 1)
  }

  @Test func `a lease ends with the file object`() throws {
    do {
      let file = try GuardedFile(path, isLeased: true)
      #expect(file.lease.isHeld)
    }
    // A process that another test starts may hold a copy of the file's descriptor for a moment.
    var writer: Int32 = -1
    let isOpen = eventually {
      writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return writer >= 0
    }
    #expect(isOpen)
    close(writer)
  }
}

/// What another thread has done.
private final class Calls: Sendable {
  let done = Atomic(0)
}
