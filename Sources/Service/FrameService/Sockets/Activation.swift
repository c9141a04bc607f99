import CLinux
import CSystemd
import Glibc
import System

/// Sockets passed by the service manager (sd_listen_fds(3)).
package enum Activation {
  /// The one listening Unix stream socket that was passed under `name`, or nil if none was passed.
  ///
  /// The name is that of `FileDescriptorName=`; the unit's own name (`citiesd.socket`) and a manager that gives no names
  /// are accepted too.
  ///
  /// - Throws: if other than one descriptor was passed, or it has another name or kind. It is better not to start than
  ///   to serve on what was meant for something else.
  package static func socket(named name: String) throws(ServiceError) -> ListeningSocket? {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    defer { release(names, count) }
    guard count != 0 else { return nil }
    guard count > 0 else { throw ServiceError(SystemError("sd_listen_fds", result: count)) }
    guard count == 1 else { throw refusal("expected 1 socket from the service manager, got \(count)") }
    let given = names?[0].map { String(cString: $0) } ?? unnamed
    guard [name, "\(name).socket", unnamed].contains(given) else {
      throw refusal("expected a socket named \"\(name)\" from the service manager, got \"\(given)\"")
    }
    return try check(firstDescriptor, name: given)
  }

  /// The number of the first passed descriptor; a macro in C, `SD_LISTEN_FDS_START`.
  private static let firstDescriptor: Int32 = 3
  /// What sd_listen_fds_with_names(3) says where no names were given.
  private static let unnamed = "unknown"

  private static func check(_ descriptor: Int32, name: String) throws(ServiceError) -> ListeningSocket {
    guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
      throw refusal("the passed descriptor \"\(name)\" is no listening Unix stream socket")
    }
    let result = linux_set_nonblocking(descriptor)
    guard result >= 0 else { throw ServiceError(SystemError("fcntl", name, result: result)) }
    return ListeningSocket(activated: descriptor, path: UnixSocket.boundPath(descriptor) ?? name)
  }

  private static func refusal(_ what: String) -> ServiceError {
    ServiceError("\(what); check ListenStream= and FileDescriptorName= of the socket unit", .usage)
  }

  private static func release(_ names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int32) {
    guard let names else { return }
    for index in 0..<Int(max(0, count)) { free(names[index]) }
    free(names)
  }
}
