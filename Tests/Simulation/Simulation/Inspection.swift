import FrameService

/// Private state of the service that its bounds concern, read by reflection: no line of the product exists for it.
///
/// A property that is gone is a finding: then this file has to follow the product.
struct Inspection {
  private let service: FramedService
  private let fail: (String) -> Never

  init(_ service: FramedService, fail: @escaping (String) -> Never) { (self.service, self.fail) = (service, fail) }

  /// Bytes that the service holds for slow readers.
  var queuedBytes: Int { number("totals", "queued") }
  /// Connections that watch.
  var subscribers: Int { number("totals", "subscribers") }

  /// The largest number of long requests that a user has in progress.
  var startedRequests: Int {
    guard let users = value(service, "loop", "clients", "scheduler", "users") as? [Any] else {
      fail("the service has no list of users")
    }
    return users.map { value($0, "startedCount") as? Int ?? 0 }.max() ?? 0
  }

  private func number(_ path: String...) -> Int {
    guard let found = path.reduce(service as Any?, { found, name in found.flatMap { child($0, name) } }) as? Int else {
      fail("the service has no number \(path)")
    }
    return found
  }

  private func value(_ root: Any, _ path: String...) -> Any? {
    path.reduce(root as Any?) { found, name in found.flatMap { child($0, name) } }
  }

  /// Stops at the property: those after it may not be copyable.
  private func child(_ value: Any, _ name: String) -> Any? {
    Mirror(reflecting: value).children.first { $0.label == name }?.value
  }
}
