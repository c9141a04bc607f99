import CMappings
import Folders
import Glibc
package import System

/// A file that is open and mapped read-only; it is unmapped and closed with this object.
///
/// The mapping is guarded: if the file is shortened, what is missing reads as zeros and ``hasFaulted`` says so,
/// provided that ``MappingFaults/install()`` was called.
final class GuardedFile {
  /// The whole file; no bytes for an empty one.
  var bytes: UnsafeRawBufferPointer { mapped.bytes }
  private let mapped: MappedFile
  /// The file itself, whatever its name stands for by now.
  private let file: Descriptor
  /// Its state before anything was read.
  let identity: FileIdentity
  private let guardNumber: Int32
  /// The state of the lease before anything was read; nil if none was wanted.
  let leaseAtOpening: FileLease.Outcome?
  /// When it was opened, in nanoseconds since 1970.
  private let openingTime: Int64
  /// What its blocks must sum up to, if they are compared when they are first read.
  private var sums: CoverSums?

  /// Maps the regular file at `path`, with a lease if one is wanted and can be had.
  ///
  /// `MAP_POPULATE` is left out: mapping 33 MB and summing all of it takes 2.1 ms without and 2.6 ms with it, from the
  /// page cache, and a reader that sums nothing would pay for pages that it never looks at.
  ///
  /// Nothing but a regular file is ever opened; see ``FoundFile``.
  convenience init(_ path: String, isLeased: Bool = false) throws(ResidentFault) {
    let file = try Self.open(path)
    // Before anything is read: bytes that are checked under a lease stay the same.
    try self.init(file, isLeased ? FileLease(descriptor: file.number).take() : nil)
  }

  /// Maps the regular file `name` in a folder that is open, if it may be trusted as ``OpenFolder`` says.
  convenience init(_ name: String, in folder: OpenFolder) throws(ResidentFault) {
    let file: Descriptor?
    do throws(SystemError) { file = try folder.file(name) } catch {
      throw .system(call: error.operation, code: error.code)
    }
    guard let file else { throw .absent }
    try self.init(file)
  }

  private static func open(_ path: String) throws(ResidentFault) -> Descriptor {
    let fault: ResidentFault
    do throws(SystemError) {
      let found = try FoundFile(path)
      switch found.kind {
      case .regular: return try found.open()
      case .link(let owner): fault = .link(owner: owner)
      case .other: fault = .notRegular
      }
    } catch {
      fault = error.code == ENOENT ? .absent : .system(call: error.operation, code: error.code)
    }
    throw fault
  }

  private init(_ file: Descriptor, _ lease: FileLease.Outcome? = nil) throws(ResidentFault) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .system(call: "fstat", code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    do throws(SystemError) { mapped = try MappedFile(file.number, size: Int(status.st_size)) } catch {
      throw .system(call: error.operation, code: error.code)
    }
    identity = FileIdentity(status)
    guardNumber = cities_mapping_guard(mapped.bytes.baseAddress, mapped.bytes.count)
    leaseAtOpening = lease
    openingTime = SystemClock.nanoseconds()
    self.file = file
  }

  // Before the mapping, which its object removes: its addresses may belong to another one right after.
  deinit { cities_mapping_release(guardNumber) }

  /// Has each block of `range` compared with its sum in `section` when it is first read.
  ///
  /// From then on only this thread may read the file, until all of it was read: another one could see a block that is
  /// being compared.
  ///
  /// - Returns: whether that is possible.
  func cover(_ range: Range<Int>, _ section: UnsafeRawBufferPointer) -> Bool {
    let sums = CoverSums(section)
    self.sums = sums
    return cities_mapping_cover(guardNumber, range.lowerBound, range.upperBound, sums.start) == 0
  }

  /// Has the blocks with `bytes` compared.
  func touch(_ bytes: UnsafeRawBufferPointer) { cities_mapping_touch(bytes.baseAddress, bytes.count) }

  /// Whether a block did not match its sum when it was read.
  var isDamaged: Bool { cities_mapping_is_damaged(guardNumber) != 0 }

  /// Its state now; nil if unknown.
  var state: FileIdentity? { FileIdentity(descriptor: file.number) }

  /// Whether what was read is its content: it was opened under a lease, or had not changed for a while and has not
  /// since.
  var isSettled: Bool {
    // A newer file may have taken its name: this one still has its content.
    guard let state, state == identity || state.differsInNames(from: identity) else { return false }
    return switch leaseAtOpening {
    case .held: true
    case .refused, nil: !identity.isFresh(at: openingTime, within: FileIdentity.tick)
    // Stores through a mapping that was made before change no time: nothing would show them.
    case .writerPresent: false
    }
  }

  /// Whether a fault that was read may be a writer's unfinished work, even if the times of the file never change again:
  /// those of one that is mapped change with the first store alone.
  var mayImprove: Bool { leaseAtOpening == .writerPresent || leaseAtOpening != nil && !isSettled }

  /// Whether a page was missing when it was read.
  var hasFaulted: Bool { cities_mapping_has_faulted(guardNumber) != 0 }

  /// Its lease.
  var lease: FileLease { FileLease(descriptor: file.number) }
}

/// A lease on a resident file that is open: while it is held, no byte of the file can change (fcntl(2), F_SETLEASE).
///
/// ```swift
/// guard file.lease.take() == .held else { return }  // answers need no check from here on
/// // later, after the signal:
/// if !file.lease.isHeld { file.lease.release() }    // a writer waits in open(2)
/// ```
///
/// It ends with the file object.
package struct FileLease {
  /// The outcome of an attempt to take a lease.
  package enum Outcome {
    /// It is held.
    case held
    /// A process has the file open for writing.
    case writerPresent
    /// The kernel gives this process none for this file: it belongs to another user, or its file system has no leases.
    case refused
  }

  /// The signal that a writer waits for a lease of this process; ignored unless a thread blocks and reads it.
  package static var signal: Int32 { cities_lease_signal() }

  fileprivate let descriptor: Int32

  fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

  /// Takes the lease; ``signal`` is sent to the calling thread when a writer waits for it.
  package func take() -> Outcome {
    switch cities_lease_take(descriptor) {
    case 0:
      guard direct() else {
        release()
        return .refused
      }
      return .held
    case -EAGAIN: return .writerPresent
    default: return .refused
    }
  }

  /// Has ``signal`` sent to the calling thread, for a lease that another thread has taken.
  ///
  /// - Returns: false if that is not possible, or there is no lease.
  @discardableResult
  package func direct() -> Bool { cities_lease_direct(descriptor) == 0 }

  /// Whether the lease is held and no writer waits for it.
  ///
  /// - Complexity: one system call.
  package var isHeld: Bool { cities_lease_is_held(descriptor) != 0 }

  /// Releases the lease: those that wait continue, and may write.
  package func release() { cities_lease_release(descriptor) }
}

/// What a process does about pages of resident files that are missing when they are read, because somebody shortened
/// the file.
package enum MappingFaults {
  /// Has zeros stand for missing pages of guarded mappings from now on, and for blocks that do not match their
  /// checksums; without it such a page ends the process by SIGBUS, and checksums are compared when a file is opened.
  ///
  /// - Throws: ``SystemError`` if the kernel refuses the handler.
  package static func install() throws(SystemError) {
    let result = cities_mappings_install()
    guard result == 0 else { throw SystemError("sigaction", "SIGBUS, SIGSEGV", code: -result) }
  }

  /// Where faults are counted, of all threads and mappings: to be read by an atomic load.
  package static var counter: UnsafePointer<UInt32> { cities_mapping_fault_counter() }
}
