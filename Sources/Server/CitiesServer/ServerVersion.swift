/// The program's version.
package enum ServerVersion {
  /// The number.
  package static let number = "0.1.0"
  /// Name and number, as `hello` and `--version` tell them.
  package static let name = "citiesd \(number)"
}
