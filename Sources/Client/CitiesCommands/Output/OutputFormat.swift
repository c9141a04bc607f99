/// How rows are written.
enum OutputFormat: String, CaseIterable {
  /// Aligned columns with a head line, for people; may change.
  case table
  /// Values between TABs, a row a line, no head line.
  case tsv
  /// One object `{total, generation, rows}`.
  case json
  /// One object a row and line.
  case jsonl
  /// RFC 4180, with a head line.
  case csv
  /// RFC 7946, a feature a row.
  case geojson

  /// Whether errors and notes are JSON objects as well.
  var isJSON: Bool { self == .json || self == .jsonl || self == .geojson }

  /// Whether there is a place for what concerns all rows together.
  var hasHead: Bool { self == .json || self == .geojson }
}
