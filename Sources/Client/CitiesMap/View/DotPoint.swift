/// A point of the picture, in dots from its upper left corner; whole numbers lie between dots.
struct DotPoint: Hashable {
  /// Dots to the right.
  var x: Double
  /// Dots down.
  var y: Double
}
