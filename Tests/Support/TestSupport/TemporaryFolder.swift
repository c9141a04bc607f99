import Glibc

/// A folder of a test's own below `/tmp`, removed with everything in it when the object goes.
package final class TemporaryFolder: Sendable {
  /// The folder, without a trailing slash.
  package let path: String

  /// Makes an empty folder that only this user may enter.
  package init() throws(RepositoryError) {
    var template = Array("/tmp/cities-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw RepositoryError("/tmp", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// The path of `name` in the folder.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the folder, sorted.
  package var names: [String] { Repository.names(in: path) }

  /// Puts `bytes` into the file `name` and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws(RepositoryError) -> String {
    let target = path(name)
    guard let file = fopen(target, "wbe") else { throw RepositoryError(target, errno) }
    let bytes = Array(bytes)
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw RepositoryError(target, errno) }
    return target
  }

  private static func remove(_ path: String) {
    for name in Repository.names(in: path) {
      let inner = "\(path)/\(name)"
      if Repository.isFolder(inner) { remove(inner) } else { unlink(inner) }
    }
    rmdir(path)
  }
}
