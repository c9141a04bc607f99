import Glibc

/// Where the repository and its optional test data are, and what stands in them.
///
/// Tests find both by walking up from their own source file, so they run in any checkout and from any folder.
package enum Repository {
  /// The folder that holds `Package.swift`, without a trailing slash.
  package static let root: String = {
    guard let root = ancestors(of: #filePath).first(where: { exists("\($0)/Package.swift") }) else {
      preconditionFailure("no Package.swift above \(#filePath): the tests must run where they were built")
    }
    return root
  }()

  /// The absolute path of `relative`, which is below the repository's root.
  package static func path(_ relative: String) -> String { "\(root)/\(relative)" }

  /// A file of the optional test data, a folder `shared/data` beside or above the repository; `nil` if it is absent.
  ///
  /// Such data is not the project's: a test that needs it says `.enabled(if:)` with a reason that names the file.
  package static func sharedData(_ relative: String) -> String? {
    ancestors(of: root).map { "\($0)/shared/data/\(relative)" }.first(where: exists)
  }

  /// Whether something stands at `path`.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The bytes of the file at the absolute `path`.
  ///
  /// - Throws: ``RepositoryError`` with the path and the system's reason.
  /// - Complexity: O(size of the file).
  package static func bytes(_ path: String) throws(RepositoryError) -> [UInt8] {
    guard let file = fopen(path, "rbe") else { throw RepositoryError(path, errno) }
    defer { fclose(file) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      result.append(contentsOf: chunk[..<count])
    }
    guard ferror(file) == 0 else { throw RepositoryError(path, errno) }
    return result
  }

  /// The text of the file at the absolute `path`; invalid UTF-8 becomes U+FFFD.
  package static func text(_ path: String) throws(RepositoryError) -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  /// The names in the folder at the absolute `path`, sorted, without `.` and `..`; empty if there is no such folder.
  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// Whether the absolute `path` is a folder, and no link to one.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// All files below the folder `relative` of the repository, as paths from its root, sorted; names that begin with a
  /// full stop are left out.
  package static func files(under relative: String) -> [String] {
    names(in: path(relative)).filter { !$0.hasPrefix(".") }.flatMap { name in
      let inner = relative.isEmpty ? name : "\(relative)/\(name)"
      return isFolder(path(inner)) ? files(under: inner) : [inner]
    }
  }

  /// The folders above `path`, nearest first.
  private static func ancestors(of path: String) -> [String] {
    var result: [String] = []
    var rest = Substring(path)
    while let slash = rest.lastIndex(of: "/"), slash > rest.startIndex {
      rest = rest[..<slash]
      result.append(String(rest))
    }
    return result
  }
}

/// A file that could not be read.
package struct RepositoryError: Error, CustomStringConvertible {
  /// The path and the system's reason.
  package let description: String

  init(_ path: String, _ code: Int32) { description = "\(path): \(String(cString: strerror(code)))" }
}
