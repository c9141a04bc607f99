internal import CitiesProtocol

/// What this program calls itself.
enum Product {
  /// The version of the release.
  static let version = "0.1.0"
  /// Name and version, as the server is told.
  static let title = "citiesctl \(version)"
  /// What `--version` prints.
  static let description = "\(title) (protocol \(ProtocolVersion.supported.map(String.init).joined(separator: ", ")))"
}
