internal import Glibc

/// The name of a time zone, as `Europe/Tallinn`.
struct TimeZoneName: Hashable {
  /// The name.
  let text: String

  /// The system's: `TZ`, else where `/etc/localtime` leads; `nil` where neither tells a name.
  static func ofSystem(environment: (String) -> String?) -> TimeZoneName? {
    if let set = environment("TZ"), !set.isEmpty {
      return TimeZoneName(text: String(set.drop { $0 == ":" }))
    }
    var path = [CChar](repeating: 0, count: 4_096)
    let count = readlink("/etc/localtime", &path, path.count - 1)
    guard count > 0 else { return nil }
    return TimeZoneName(text: String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// The city that the zone is called after; `nil` for zones such as `Etc/UTC`, which are called after none.
  var city: String? {
    let parts = text.split(separator: "/")
    guard parts.count > 1, let last = parts.last, !parts.contains("Etc"), last.contains(where: \.isLowercase) else {
      return nil
    }
    return String(last.map { $0 == "_" ? " " : $0 })
  }
}
