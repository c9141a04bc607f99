internal import CitiesClient

/// A duration for people: `31 µs`, `0.9 ms`, `2.0 s`.
func timingText(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  switch microseconds {
  case ..<1_000: return "\(microseconds) µs"
  case ..<1_000_000: return "\(tenths(microseconds, of: 1_000)) ms"
  default: return "\(tenths(microseconds, of: 1_000_000)) s"
  }
}

private func tenths(_ value: Int64, of unit: Int64) -> String {
  let rounded = (value * 10 + unit / 2) / unit
  return "\(rounded / 10).\(rounded % 10)"
}
