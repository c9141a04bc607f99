import Base
internal import CBOR
package import CitiesProtocol

/// A place on a map with its sign and, where there is room, its name.
package struct MapMark: Equatable, Sendable {
  /// What stands there; each has a sign of its own, so that no colour is needed to tell them apart.
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// A city.
    case city
    /// A bank's branch.
    case branch
    /// A cash machine.
    case atm
    /// A machine that takes cash in too.
    case bna
    /// A location of a kind that the source does not tell.
    case other
    /// The user's own position, or the one that was asked about.
    case here
  }

  /// Where it is.
  package var position: Position
  /// What it is.
  package var kind: Kind
  /// What is written beside it; empty for nothing.
  package var label: String
  /// Whether it is what the map is about: it is drawn above all others and emphasized, and its label comes first.
  package var isChosen: Bool
  /// Whether it is left out where there is no room for its label, as the cities around a place are.
  package var needsLabel: Bool

  /// Makes a mark.
  package init(
    at position: Position, kind: Kind, label: String = "", isChosen: Bool = false, needsLabel: Bool = false
  ) {
    (self.position, self.kind, self.label) = (position, kind, label)
    (self.isChosen, self.needsLabel) = (isChosen, needsLabel)
  }
}

extension MapMark.Kind {
  /// The mark for a bank's location.
  package init(_ kind: BankRow.Kind) {
    switch kind {
    case .branch: self = .branch
    case .atm: self = .atm
    case .bna: self = .bna
    default: self = .other
    }
  }

  /// The sign, one cell wide.
  package func sign(_ characters: MapCharacters) -> String {
    switch (self, characters) {
    case (.city, .braille): "●"
    case (.branch, .braille): "■"
    case (.atm, .braille): "▲"
    case (.bna, .braille): "◆"
    case (.here, .braille): "✚"
    case (.city, .ascii): "o"
    case (.branch, .ascii): "B"
    case (.atm, .ascii): "A"
    case (.bna, .ascii): "N"
    case (.here, .ascii): "@"
    case (.other, _): "?"
    }
  }

  /// What the sign means, for a legend.
  package var meaning: String {
    switch self {
    case .city: "city"
    case .branch: "branch"
    case .atm: "ATM"
    case .bna: "BNA"
    case .other: "of unknown kind"
    case .here: "position"
    }
  }
}

/// A place as a `geo:` URI (RFC 5870): `geo:59.43696,24.75353`, in WGS 84, which is the default.
package func geoURI(_ position: Position) -> String {
  // At a pole every longitude is the same; RFC 5870 §3.4.2 wants it to be written 0.
  let lon = abs(position.lat) == 90 ? 0 : position.lon
  return "geo:\(decimalText(position.lat)),\(decimalText(lon))"
}
