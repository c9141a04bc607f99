import FrameService

/// Private state of the service that its bounds concern, read by reflection: no line of the product exists for it.
///
/// A property that is gone is a finding: then this file has to follow the product.
final class Inspection {
  private unowned let service: FramedService
  private let fail: (String) -> Never
  /// The position of each property, by its type and name: reading the properties before it takes most of the time.
  private var positions: [Property: Int] = [:]

  private struct Property: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

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

  /// Reads no property after this one: it may not be copyable.
  private func child(_ value: Any, _ name: String) -> Any? {
    let (children, property) = (
      Mirror(reflecting: value).children, Property(type: ObjectIdentifier(type(of: value)), name: name)
    )
    let known = positions[property] ?? children.enumerated().first { $0.element.label == name }?.offset
    guard let position = known else { return nil }
    positions[property] = position
    return children[children.index(children.startIndex, offsetBy: position)].value
  }
}
