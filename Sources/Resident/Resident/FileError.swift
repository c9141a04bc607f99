import Glibc

/// A system call on a file that failed: which file, which call, and why.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file or folder.
  package var path: String
  /// The call, as `fsync`.
  package var call: String
  /// Its errno.
  package var code: Int32
  /// Why the file was not touched, and what to do; `nil` if a call failed.
  package var refusal: String?

  /// Records a failure; `code` is the caller's `errno` unless it is given.
  package init(path: String, call: String, code: Int32 = errno) {
    self.path = path
    self.call = call
    self.code = code
  }

  /// Records that what is at `path` is not to be trusted, by the reason and what to do about it.
  package init(path: String, refused reason: String) {
    self.init(path: path, call: "open", code: EPERM)
    refusal = reason
  }

  /// Whether the user may not do this, rather than that the machine could not.
  package var isPermission: Bool { code == EACCES || code == EPERM || code == EROFS }

  /// What stands at `path` is a device, a folder or a link, and is not replaced by a file.
  package static func notReplaceable(_ path: String) -> FileError {
    FileError(path: path, call: "replace", code: EEXIST)
  }

  /// `PATH: CALL: REASON`.
  package var description: String {
    if let refusal { return "\(path): \(refusal)" }
    guard call != "replace" else { return "\(path): only a regular file is replaced, and this is none" }
    return "\(path): \(call): \(String(cString: strerror(code)))"
  }
}
