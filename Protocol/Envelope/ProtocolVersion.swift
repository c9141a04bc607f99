/// The versions of the wire that this build speaks.
public enum ProtocolVersion {
  /// The version described in `Protocol/README.md`.
  public static let current: UInt64 = 1
  /// All versions that this build supports, best last.
  public static let supported: [UInt64] = [current]
}
