/// The schema of every message: the file `cities.cddl` (RFC 8610) of this build.
public enum Schema {
  /// The bytes of `cities.cddl`.
  public static var cddl: [UInt8] { PackageResources.cities_cddl }
}
