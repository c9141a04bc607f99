import Glibc
import Synchronization

/// A peer on a Unix stream socket that says what a test makes it say: silence, half a frame, garbage, or an answer.
///
/// ```swift
/// let server = try FakeServer { _ in [.send(frame)] }
/// ```
package final class FakeServer: Sendable {
  /// One payload that arrived.
  package struct Request: Sendable {
    /// Which connection it came on, from 0.
    package var connection: Int
    /// Which one it is on its connection, from 0.
    package var number: Int
    /// The payload of the frame.
    package var payload: [UInt8]
  }

  /// What the server does about a request.
  package enum Step: Sendable {
    /// Sends bytes as they are, framed or not.
    case send([UInt8])
    /// Sends bytes one at a time.
    case drip([UInt8])
    /// Does nothing for the given milliseconds.
    case pause(Int32)
    /// Does nothing until the value is true.
    case hold(until: Box<Bool>)
    /// Closes the connection.
    case close
  }

  /// Where it listens.
  package let path: String
  private let folder: TemporaryFolder
  private let listener: Mutex<Int32>
  private let answer: @Sendable (Request) -> [Step]
  private let greeting: @Sendable (Int) -> [Step]
  private let count = Mutex(0)

  /// Connections accepted so far.
  package var connections: Int { count.withLock { $0 } }

  /// Listens, and answers each request by what `answer` returns.
  ///
  /// - Parameters:
  ///   - path: Where; a place of its own if `nil`.
  ///   - greeting: The action on a new connection, by its number, before anything is read.
  ///   - answer: The action on a request.
  /// - Throws: ``RepositoryError`` if there is no place for the socket.
  package init(
    path: String? = nil, greeting: @escaping @Sendable (Int) -> [Step] = { _ in [] },
    _ answer: @escaping @Sendable (Request) -> [Step]
  ) throws {
    folder = try TemporaryFolder()
    self.path = path ?? folder.path("fake.sock")
    self.greeting = greeting
    self.answer = answer
    let descriptor = UnixSocket.listen(self.path)
    listener = Mutex(descriptor)
    spawn { [self] in
      while case let accepted = accept(descriptor, nil, nil), accepted >= 0 {
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        let number = count.withLock { count in
          defer { count += 1 }
          return count
        }
        spawn { [self] in serve(accepted, number) }
      }
      // Closed here and not in `stop`: a number that is free while accept(2) still uses it may be another server's.
      close(descriptor)
    }
  }

  /// Stops listening; connections end with their peers.
  package func stop() {
    listener.withLock { descriptor in
      guard descriptor >= 0 else { return }
      shutdown(descriptor, Int32(SHUT_RDWR))
      unlink(path)
      descriptor = -1
    }
  }

  private func serve(_ descriptor: Int32, _ connection: Int) {
    defer {
      // A process that another test starts may hold a copy of the descriptor; close(2) would not end the connection
      // then.
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }
    guard perform(greeting(connection), on: descriptor) else { return }
    var number = 0
    while let payload = UnixSocket.readFrame(descriptor) {
      let request = Request(connection: connection, number: number, payload: payload)
      guard perform(answer(request), on: descriptor) else { return }
      number += 1
    }
  }

  /// Whether the connection goes on.
  private func perform(_ steps: [Step], on descriptor: Int32) -> Bool {
    for step in steps {
      switch step {
      case .send(let bytes): UnixSocket.write(bytes, to: descriptor)
      case .drip(let bytes): for byte in bytes { UnixSocket.write([byte], to: descriptor) }
      case .pause(let milliseconds): poll(nil, 0, milliseconds)
      case .hold(let condition): _ = eventually { condition.value }
      case .close: return false
      }
    }
    return true
  }
}

/// Runs `body` on a thread of its own; a blocking peer must not take one of the few threads that tests run on.
package func spawn(_ body: @escaping @Sendable () -> Void) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let argument = Unmanaged.passRetained(Body(body)).toOpaque()
  let failed = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, argument)
  precondition(failed == 0, "no thread could be made")
  pthread_detach(thread)
}

/// Unix stream sockets, as far as tests need them.
package enum UnixSocket {
  /// A socket that listens at `path`.
  package static func listen(_ path: String) -> Int32 {
    let descriptor = bound(path)
    precondition(Glibc.listen(descriptor, 64) == 0, "cannot listen at \(path)")
    return descriptor
  }

  /// A socket that is bound to `path` and does not listen.
  package static func bound(_ path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let failed = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(failed == 0, "cannot bind \(path): \(String(cString: strerror(errno)))")
    return descriptor
  }

  /// The payload of the next frame; `nil` at the end.
  static func readFrame(_ descriptor: Int32) -> [UInt8]? {
    guard let header = read(4, from: descriptor) else { return nil }
    return read(header.reduce(0) { $0 << 8 | Int($1) }, from: descriptor)
  }

  private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var chunk = [UInt8](repeating: 0, count: count - bytes.count)
      let received = recv(descriptor, &chunk, chunk.count, 0)
      guard received > 0 else { return nil }
      bytes += chunk.prefix(received)
    }
    return bytes
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
