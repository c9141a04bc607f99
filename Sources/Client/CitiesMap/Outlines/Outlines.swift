/// Coasts and borders of the world in two scales, from Natural Earth (public domain).
///
/// They leave out bays and headlands of a few kilometres; see ``finestMetresPerDot``.
package struct Outlines: Sendable {
  /// The outlines are drawn where a dot covers at least so much ground, in metres.
  ///
  /// The source is made for maps of 1:50,000,000, on which half a millimetre is 25 km of ground, and leaves out, for
  /// example, the headland of 10 km beside Tallinn: closer than this, its coast would put towns into the sea.
  package static let finestMetresPerDot = 1_000.0
  /// The coarser of both scales is drawn from so many metres a dot on: its points lie about that far apart.
  package static let coarseMetresPerDot = 15_000.0

  /// What a line is.
  package enum Kind: UInt64, Hashable, Sendable, CaseIterable {
    /// Where land meets the sea.
    case coast = 0
    /// Where two countries meet.
    case border = 1
  }

  /// One line: a range of its scale's points and the box that holds them.
  struct Line: Sendable {
    var kind: Kind
    var points: Range<Int>
    /// The outermost coordinates, in units.
    var (west, east, south, north): (Int32, Int32, Int32, Int32)
  }

  /// A point in units, ``Outlines/unitsPerDegree`` of which are a degree.
  struct Point: Hashable, Sendable {
    var lon: Int32
    var lat: Int32
  }

  /// The lines for one scale.
  struct Scale: Sendable {
    /// The scale's denominator in millions.
    var millions: UInt64
    var points: [Point] = []
    var lines: [Line] = []
  }

  /// Units of the points in a degree.
  let unitsPerDegree: Double
  /// The scales, the coarsest first; at least one.
  let scales: [Scale]

  /// The scale for a view, or `nil` where it is closer than the outlines are true.
  func scale(forMetresPerDot metres: Double) -> Scale? {
    guard metres >= Self.finestMetresPerDot else { return nil }
    return metres >= Self.coarseMetresPerDot ? scales.first : scales.last
  }
}
