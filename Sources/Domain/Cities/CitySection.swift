/// The sections of an index, by the four bytes that name them in the file.
public enum CitySection: String, CaseIterable, Sendable {
  /// The rows' bytes, back to back in key order.
  case rows = "ROWS"
}
