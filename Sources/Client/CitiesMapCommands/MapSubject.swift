internal import CitiesMap

/// What a map is about.
struct MapSubject {
  /// Its title.
  var title: String
  /// The places that it must show.
  var marks: [MapMark]
}
