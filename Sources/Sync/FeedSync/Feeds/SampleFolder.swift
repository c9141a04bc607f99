import Glibc
import System

/// Where the made-up samples are: beside the program, then where they are installed.
package enum SampleFolder {
  /// Its name below a prefix.
  package static let name = "share/cities/sample"

  /// The first folder that exists of `../share/cities/sample`, as the program lies, and the usual places.
  ///
  /// - Throws: ``FeedError`` that tells where it looked.
  package static func find(program: String = "/proc/self/exe") throws(FeedError) -> String {
    let places = candidates(program)
    guard let found = places.first(where: isFolder) else {
      throw FeedError(
        .unavailable,
        "there are no samples in \(places.joined(separator: " or ")); contrib/build --install puts them there")
    }
    return found
  }

  private static func candidates(_ program: String) -> [String] {
    var places = ["/usr/local/\(name)", "/usr/\(name)"]
    guard let resolved = resolvedPath(program) else { return places }
    // The folder above the program's own.
    let prefix = resolved.split(separator: "/").dropLast(2).joined(separator: "/")
    let beside = "/\(prefix)/\(name)"
    places.removeAll { $0 == beside }
    return [beside] + places
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
