package import CivilTime
import Glibc
package import System

/// The machine's time zones: a folder of TZif files, read by the importer and the server.
package struct ZoneFolder: Sendable {
  /// The usual folder on Linux.
  package static let system = ZoneFolder(path: "/usr/share/zoneinfo")

  /// The folder.
  package let path: String

  /// Reads from the folder at `path`.
  package init(path: String) { self.path = path }

  /// Whether `zone` is a well-formed zone name, such as `Europe/Vilnius`; the zone need not exist.
  package static func isName(_ zone: String) -> Bool { ZoneRules.isName(zone) }

  /// The rules of the zone `name`, such as `Europe/Vilnius`.
  ///
  /// - Throws: ``ZoneFolderError`` if there is no such zone, or its file cannot be read.
  /// - Complexity: O(n) in the bytes of the file, at most ``ZoneRules/maximumFileBytes``.
  package func rules(for name: String) throws(ZoneFolderError) -> ZoneRules {
    // Any other text could lead outside the folder.
    guard Self.isName(name) else { throw ZoneFolderError(name, path, "not a name such as Europe/Vilnius") }
    let bytes = try bytes(of: name)
    do throws(ZoneProblem) {
      return try ZoneRules(tzif: bytes)
    } catch {
      throw ZoneFolderError(name, path, "\(path)/\(name): \(error)")
    }
  }

  /// The bytes of a file in the folder, at most ``ZoneRules/maximumFileBytes``: a zone, or a table such as
  /// `zone1970.tab`.
  ///
  /// - Throws: ``ZoneFolderError`` if there is no such file, or it cannot be read.
  package func bytes(of name: String) throws(ZoneFolderError) -> [UInt8] {
    let file = "\(path)/\(name)"
    func refusal(_ error: SystemError) -> ZoneFolderError {
      ZoneFolderError(name, path, error.code == ENOENT ? nil : "\(error)", cause: error.code == ENOENT ? nil : error)
    }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw refusal(SystemError("open", file)) }
    defer { close(descriptor) }
    do throws(SystemError) {
      return try readAll(descriptor, file, limit: ZoneRules.maximumFileBytes)
    } catch {
      throw refusal(error)
    }
  }
}

/// Why a time zone cannot be used.
package struct ZoneFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The zone that was requested.
  package let zone: String
  /// The fault, and where it is.
  package let description: String
  /// The call that failed, if the zone may exist: another attempt may succeed.
  package let cause: SystemError?

  /// Without a `problem`, the zone does not exist.
  init(_ zone: String, _ folder: String, _ problem: String?, cause: SystemError? = nil) {
    (self.zone, self.cause) = (zone, cause)
    description =
      "no time zone \"\(zone.excerpt(64))\": \(problem ?? "there is no such file in \(folder) (package tzdata)")"
  }
}
