import CMappings
import Folders
import Glibc
package import System

/// An open file, mapped read-only; it is unmapped and closed with this object.
///
/// The mapping is guarded: if the file is truncated, missing bytes read as zeros and ``hasFaulted`` is true, provided
/// that ``MappingFaults/install()`` was called.
final class GuardedFile {
  /// The whole file; no bytes for an empty one.
  var bytes: UnsafeRawBufferPointer { mapped.bytes }
  private let mapped: MappedFile
  /// The file itself, even if its name now leads to another one.
  private let file: Descriptor
  /// Its state before anything was read.
  let identity: FileIdentity
  private let guardNumber: Int32
  /// The state of the lease before the first read; nil if none was requested.
  let leaseAtOpening: FileLease.Outcome?
  /// When it was opened, in nanoseconds since 1970.
  private let openingTime: Int64
  /// The checksums of its blocks, if they are compared on first use.
  private var sums: CoverSums?

  /// Maps the regular file at `path`, with a lease if one is requested and granted.
  ///
  /// Without `MAP_POPULATE`: mapping and summing 33 MB from the page cache takes 2.1 ms without it and 2.6 ms with it,
  /// and a reader that sums nothing would pay for pages it never reads.
  ///
  /// Never opens anything but a regular file; see ``FoundFile``.
  convenience init(_ path: String, isLeased: Bool = false) throws(ResidentFault) {
    let file = try Self.open(path)
    // Before the first read: bytes that are checked under a lease stay the same.
    try self.init(file, isLeased ? FileLease(descriptor: file.number).take() : nil)
  }

  /// Maps the regular file `name` in an open folder, if ``OpenFolder`` trusts it.
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

  // Before the mapping is removed: its addresses may be reused at once.
  deinit { cities_mapping_release(guardNumber) }

  /// From now on compares each block of `range` with its sum in `section` when it is first read.
  ///
  /// Until all of it has been read, only this thread may read the file: another one could see a block before it is
  /// compared.
  ///
  /// - Returns: whether that is possible.
  func cover(_ range: Range<Int>, _ section: UnsafeRawBufferPointer) -> Bool {
    let sums = CoverSums(section)
    self.sums = sums
    return cities_mapping_cover(guardNumber, range.lowerBound, range.upperBound, sums.start) == 0
  }

  /// Compares the blocks that contain `bytes`.
  func touch(_ bytes: UnsafeRawBufferPointer) { cities_mapping_touch(bytes.baseAddress, bytes.count) }

  /// Whether a block did not match its sum.
  var isDamaged: Bool { cities_mapping_is_damaged(guardNumber) != 0 }

  /// Its state now; nil if unknown.
  var state: FileIdentity? { FileIdentity(descriptor: file.number) }

  /// Whether the bytes that were read are the file's content: it was opened under a lease, or had been unchanged for a
  /// while and still is.
  var isSettled: Bool {
    // A newer file may have taken the name; this one still has its content.
    guard let state, state == identity || state.differsInNames(from: identity) else { return false }
    return switch leaseAtOpening {
    case .held: true
    case .refused, nil: !identity.isFresh(at: openingTime, within: FileIdentity.tick)
    // Stores through an earlier shared mapping change no file time, so they would go unnoticed.
    case .writerPresent: false
    }
  }

  /// Whether a fault may be a writer's unfinished work, even if the file's times never change again: for a mapped file,
  /// only the first store changes them.
  var mayImprove: Bool { leaseAtOpening == .writerPresent || leaseAtOpening != nil && !isSettled }

  /// Whether a page that was read was missing.
  var hasFaulted: Bool { cities_mapping_has_faulted(guardNumber) != 0 }

  /// Its lease.
  var lease: FileLease { FileLease(descriptor: file.number) }
}

/// A lease on an open resident file: while it is held, no byte of the file can change (fcntl(2), F_SETLEASE).
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
    /// The kernel does not grant it: the file belongs to another user, or the file system does not support leases.
    case refused
  }

  /// Signals that a writer waits for a lease of this process; ignored unless a thread blocks and reads it.
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

  /// Directs ``signal`` to the calling thread, for a lease that another thread has taken.
  ///
  /// - Returns: false if that is not possible, or there is no lease.
  @discardableResult
  package func direct() -> Bool { cities_lease_direct(descriptor) == 0 }

  /// Whether the lease is held and no writer waits for it.
  ///
  /// - Complexity: one system call.
  package var isHeld: Bool { cities_lease_is_held(descriptor) != 0 }

  /// Releases the lease: waiting writers continue.
  package func release() { cities_lease_release(descriptor) }
}

/// Handling of missing pages of resident files, which were truncated after they were mapped.
package enum MappingFaults {
  /// From now on, zeros replace missing pages of guarded mappings, and blocks that do not match their checksums.
  ///
  /// Without it, a missing page ends the process by SIGBUS, and checksums are compared when a file is opened.
  ///
  /// - Throws: ``SystemError`` if the kernel refuses the handler.
  package static func install() throws(SystemError) {
    let result = cities_mappings_install()
    guard result == 0 else { throw SystemError("sigaction", "SIGBUS, SIGSEGV", code: -result) }
  }

  /// The counter of faults in all threads and mappings; read it with an atomic load.
  package static var counter: UnsafePointer<UInt32> { cities_mapping_fault_counter() }
}
