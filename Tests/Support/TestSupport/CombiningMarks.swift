import Glibc

/// Text that is as expensive as possible to compare by its canonical form: combining marks from U+0300 to U+06FF, one
/// for each of their 36 classes, repeated in falling order of the classes, so that sorting them moves each past all
/// before it.
package enum CombiningMarks {
  /// One mark per class, highest class first.
  package static let classes: [Unicode.Scalar] = {
    var found: [UInt8: Unicode.Scalar] = [:]
    for value in UInt32(0x300)...0x6FF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let number = scalar.properties.canonicalCombiningClass.rawValue
      if number > 0, found[number] == nil { found[number] = scalar }
    }
    return found.sorted { $0.key > $1.key }.map(\.value)
  }()

  /// `count` marks, two bytes each.
  package static func text(_ count: Int) -> String {
    let run = max(1, (count + classes.count - 1) / classes.count)
    let marks = classes.flatMap { [Unicode.Scalar](repeating: $0, count: run) }
    return String(String.UnicodeScalarView(marks.prefix(count)))
  }

  /// As many bytes of letters that are not sorted.
  package static func letters(_ count: Int) -> String { String(repeating: "ж", count: count) }
}

/// The processor time of `work` on this thread in seconds: the least of three runs, so that a busy machine adds little.
package func leastProcessorSeconds(_ work: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  var least = Double.infinity
  for _ in 0..<3 {
    let start = now()
    try work()
    least = min(least, now() - start)
    // A short run is exact enough.
    if least < 0.01 { break }
  }
  return least
}
