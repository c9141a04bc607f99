/// The folder of `path`; `.` for a bare name.
package func parentFolder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The components of `path` in reverse order, without `.`.
package func reversedComponents(of path: String) -> [String] {
  path.split(separator: "/").reversed().filter { $0 != "." }.map(String.init)
}

/// The name of the file at `path`: what follows the last slash.
package func fileName(of path: String) -> String {
  String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
}
