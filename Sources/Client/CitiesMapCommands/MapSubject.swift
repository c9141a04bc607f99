internal import CitiesMap

/// What a map is about.
struct MapSubject {
  /// Its title.
  var title: String
  /// The places that are asked for, each with its mark.
  var marks: [MapMark]
  /// Where they were looked for from, if that is known.
  var origin: MapMark?
  /// The ground that the width covers if there is but one place, in metres.
  var usualWidth = Viewport.usualWidth

  /// All that the map must show.
  var shown: [MapMark] { (origin.map { [$0] } ?? []) + marks }
}
