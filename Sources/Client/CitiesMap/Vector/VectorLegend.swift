/// What the signs and lines of a vector picture mean, and where its lines come from.
struct VectorLegend {
  /// One entry: the elements of its sample, drawn around (8, −5) from its left end, and its words.
  struct Entry {
    var sample: String
    var words: String

    /// An estimate of what it takes in the picture's font.
    var width: Double { 24 + 7 * Double(words.count) + 18 }
  }

  /// The entries, laid out in rows no wider than the picture.
  let rows: [[Entry]]

  /// The legend of a drawing for the kinds of marks that it shows.
  init(_ drawing: MapDrawing, kinds: [MapMark.Kind], width: Double) {
    var entries = MapMark.Kind.allCases.filter(kinds.contains).map { kind in
      Entry(sample: VectorMarks.sign(kind, at: DotPoint(x: 8, y: -5)), words: kind.meaning)
    }
    if drawing.note == nil {
      entries.append(Entry(sample: "<path class=\"coast\" d=\"M0 -5h16\"/>", words: "coast (Natural Earth)"))
      entries.append(Entry(sample: "<path class=\"border\" d=\"M0 -5h16\"/>", words: "border"))
    }
    var rows: [[Entry]] = []
    var room = 0.0
    for entry in entries {
      if entry.width > room {
        rows.append([])
        room = width
      }
      rows[rows.count - 1].append(entry)
      room -= entry.width
    }
    self.rows = rows
  }

  /// The elements.
  func svg(left: Double, firstBaseline: Double, rowHeight: Double) -> String {
    var text = ""
    for (index, row) in rows.enumerated() {
      var x = left
      for entry in row {
        let y = firstBaseline + Double(index) * rowHeight
        text += "<g transform=\"translate(\(short(x)) \(short(y)))\">\(entry.sample)"
        text += "<text x=\"24\" y=\"0\">\(xmlText(entry.words))</text></g>\n"
        x += entry.width
      }
    }
    return text
  }
}
