/// What is to be drawn.
///
///     let drawing = MapDrawing(view: view, marks: marks, outlines: try .embedded(), characters: .braille)
///     for line in drawing.picture().lines + drawing.caption() { … }
package struct MapDrawing: Sendable {
  /// The part of the world.
  package var view: Viewport
  /// What is marked, the most important first: where labels would overlap, the later one is left out.
  package var marks: [MapMark]
  /// Coasts and borders.
  package var outlines: Outlines
  /// What it is drawn with.
  package var characters: MapCharacters

  /// Says what to draw.
  package init(
    view: Viewport, marks: [MapMark], outlines: Outlines, characters: MapCharacters
  ) {
    (self.view, self.marks, self.outlines, self.characters) = (view, marks, outlines, characters)
  }
}
