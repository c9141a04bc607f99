/// The schema of every message, as the file `cities.cddl` (RFC 8610) that this build was made with.
public enum Schema {
  /// The bytes of `cities.cddl`.
  public static var cddl: [UInt8] { PackageResources.cities_cddl }
}
