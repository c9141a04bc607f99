import CLinux
import Glibc

/// The processors that this process may use.
package enum Processors {
  /// Those of its affinity, but no more than the quotas of its cgroups (version 2) allow; at least 1.
  package static var usable: Int {
    var set = cpu_set_t()
    _ = sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set)
    let count = withUnsafeBytes(of: set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    let membership = ProcessEnvironment.kernelText("/proc/self/cgroup") ?? ""
    return max(1, min(count, quota(of: membership) { ProcessEnvironment.kernelText("/sys/fs/cgroup\($0)/cpu.max") }))
  }

  /// How many processors the quotas of a cgroup and of those around it allow, rounded up.
  ///
  /// - Parameters:
  ///   - membership: The content of `/proc/self/cgroup`.
  ///   - read: The content of `cpu.max` of the cgroup at a path, which is empty for the outermost; `nil` for none.
  /// - Returns: The smallest number; `Int.max` without a quota.
  static func quota(of membership: String, _ read: (_ path: String) -> String?) -> Int {
    guard let line = membership.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return .max }
    var (path, quota) = ("", Int.max)
    for name: Substring in [""] + line.dropFirst(4).split(separator: "/") {
      path += name.isEmpty ? "" : "/\(name)"
      let numbers = (read(path) ?? "").split(whereSeparator: \.isWhitespace).map { Int($0) }
      // The first is the word max if there is no quota.
      guard numbers.count == 2, let time = numbers[0], let period = numbers[1], time > 0, period > 0 else { continue }
      quota = min(quota, (time - 1) / period + 1)
    }
    return quota
  }
}
