import CitiesProtocol
import FrameService

extension ResidentSubject {
  /// The generation that answers `request`: the one called `name`, else the current one.
  ///
  /// - Throws: `unavailable` without data, `stale-generation` if the named one is gone.
  func generation(for request: Request, called name: String?) throws(WireError) -> ServedGeneration<Data> {
    guard let name else { return try generation(for: request, named: nil) }
    let found: Result<ServedGeneration<Data>, WireError> = Array(name.utf8).withUnsafeBytes { bytes in
      Result { () throws(WireError) in try generation(for: request, named: bytes) }
    }
    return try found.get()
  }
}
