import CLinux
import Glibc

/// The environment of this process: its variables, and the location of its program.
package enum ProcessEnvironment {
  /// The highest user id of a system user; all of them and root share one configuration.
  package static let highestSystemUser: UInt32 = 999

  /// The value of a variable; `nil` if it is unset.
  package static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The value of a variable; `nil` if it is unset or empty, which are equivalent for all variables of this program.
  package static func value(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// The most bytes of a name in ``variables``: they are keys of type `String`, which is hashed by its canonical form.
  private static let longestName = 255

  /// All variables, except those with longer names than any program reads.
  ///
  /// - Complexity: O(n) in their bytes.
  package static var variables: [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0].utf8.count <= longestName { result[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return result
  }

  /// The private memory of this process in bytes: resident pages that are not file-backed (proc_pid_statm(5)); `nil` if
  /// `/proc` is not mounted.
  package static var privateMemory: UInt64? {
    let pages = (kernelText("/proc/self/statm") ?? "").split(separator: " ").prefix(3).compactMap { UInt64($0) }
    return pages.count == 3 && pages[1] >= pages[2] ? (pages[1] - pages[2]) * UInt64(getpagesize()) : nil
  }

  /// The content of a short file of the kernel's; `nil` if it cannot be read.
  static func kernelText(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return (try? readAll(file, path, limit: 4_096)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The path of the running program, with links resolved; without `/proc`, as it was started.
  package static var program: String? {
    programPath(of: "/proc/self/exe") ?? linux_program_name().flatMap { resolvedPath(String(cString: $0)) }
  }

  /// The folder of the running program, without a trailing slash; empty if it is unknown.
  package static var programFolder: String { program.map(parentFolder) ?? "" }

  /// The path of the program that `link` of proc_pid_exe(5) leads to.
  ///
  /// The fallback is the path as the kernel has resolved it, for a program that was removed or is in an unsearchable
  /// folder.
  package static func programPath(of link: String) -> String? { resolvedPath(link) ?? linkTarget(of: link) }
}

/// Whether the characters of a locale are UTF-8; false if it is not installed.
package func isLocaleUTF8(_ name: String) -> Bool { linux_locale_is_utf8(name) != 0 }

/// The target of a symbolic link, as written (readlink(2)); `nil` for anything else.
package func linkTarget(of link: String) -> String? {
  var target = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = readlink(link, &target, target.count)
  return count < 0 ? nil : String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The absolute path of `path`, with links resolved (realpath(3)); `nil` if there is no such file.
package func resolvedPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Whether `path` is a folder or a link to one (stat(2)).
package func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// The size of a terminal in cells.
package struct TerminalSize: Equatable, Sendable {
  /// Cells in a row.
  package let columns: Int
  /// Rows.
  package let rows: Int

  /// The size of the terminal at `descriptor`; `nil` if it is not a terminal, or its size is unknown.
  ///
  /// A terminal without a known size, such as a serial line, reports 0 cells.
  package init?(descriptor: Int32) {
    var (rows, columns): (Int32, Int32) = (0, 0)
    guard linux_terminal_size(descriptor, &rows, &columns) >= 0, rows > 0, columns > 0 else { return nil }
    (self.rows, self.columns) = (Int(rows), Int(columns))
  }
}
