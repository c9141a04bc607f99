/// The rules by which texts are resolved to cities.
public enum PlaceRules {
  /// Their version: a number that grows with each release that resolves some text to another city or class.
  public static let version: UInt64 = 1
}

/// Why a text means a city with that certainty, or none.
public enum MatchReason: Equatable, Sendable {
  /// The city has this name, and no other comes near.
  case name
  /// Another city with this name comes near.
  case namesakes
  /// A longer name of another city starts with the text and weighs as much.
  case longerName
  /// The text names a country or region, too, or only that.
  case area
  /// The name is not in use, and the city is small: of several towns that are called so, the list may have the name for
  /// one only.
  case unusedName
  /// A smaller city with the same title has the name, in a script that is not its country's.
  case translatedName
  /// The text consists of digits, and is probably an id.
  case number
  /// Programs write missing values so.
  case missing
  /// The country or region beside the name is unknown.
  case unknownArea
  /// No name is similar.
  case nothing
  /// No city has the whole name; this attempt found a similar one.
  case similar(SearchAttempt)

  /// Its code on the wire.
  public var code: String {
    switch self {
    case .name: "name"
    case .namesakes: "namesakes"
    case .longerName: "longer name"
    case .area: "area"
    case .unusedName: "unused name"
    case .translatedName: "translated name"
    case .number: "number"
    case .missing: "missing"
    case .unknownArea: "unknown area"
    case .nothing: "nothing"
    case .similar(.wholeWords), .similar(.asTyped): "start of a name"
    case .similar(let attempt): attempt.rawValue
    }
  }
}

/// A part of the score of a hit.
public enum ScorePart: String, CaseIterable, Sendable {
  /// The logarithm of the population.
  case people
  /// The name is whole.
  case whole = "whole name"
  /// Languages that use the name.
  case languages
  /// Nobody is known to use the name.
  case unused = "unused name"
  /// The name is not the title's, and only its start or one with typing errors is typed.
  case notTitle = "not the title"
  /// A short name of a large city.
  case short = "short name"
  /// A code that is typed like one.
  case code
  /// Areas follow the name.
  case areas
  /// The city lies in the country that is called like it.
  case country
  /// A code of a region that people do not write follows the name.
  case unusualCode = "unusual code"
  /// Typing errors.
  case errors = "typing errors"
  /// A word for the kind of place is left out.
  case kind = "kind of place"
  /// The distance from the preferred place.
  case distance
}

extension NameSearch {
  /// The parts of the score of a hit, in hundredths of a power of ten of inhabitants; their sum is the score.
  ///
  /// - Complexity: O(1).
  public func parts(of hit: PlaceHits.Hit, _ index: CityIndex) -> [(part: ScorePart, points: Int)] {
    let people = NameScore.logarithm(index.people(hit.rank))
    guard let names = index.names, !hit.isByArea else { return [(.people, people)] }
    let (kind, isWhole) = (names.city(of: hit.entry).kind, hit.isWhole && hit.edits == 0)
    var parts: [(ScorePart, Int)] = [(.people, people), (.whole, hit.isWhole ? NameScore.whole : 0)]
    if kind != .title {
      if !isWhole {
        parts.append((.notTitle, -NameScore.alternateStart))
      } else if !kind.isInUse {
        parts.append((.unused, -NameScore.alternate))
      } else {
        parts.append((.languages, hits.isByDistance ? -NameScore.usedNearby : NameScore.language * kind.languages))
      }
    }
    let key = names.keys.key(at: hit.entry).bytes(hit.nameBytes)
    let letters = key.count { $0 & 0xC0 != 0x80 }
    if isWhole, hit.isAlone, letters <= PlaceQuery.shortLetters, !hits.isByDistance, !question.conditions.endsAfterWord
    {
      parts.append((.short, NameScore.bonusOfShort(kind, index.populations[hit.rank])))
    }
    parts.append((.code, isWhole ? NameScore.bonusOfCode(kind, question.conditions.codes) : 0))
    if isWhole, hit.isAlone, !hits.isByDistance, let named {
      parts.append((.country, named.bonus(hit.rank, kind, index)))
    }
    parts.append((.areas, hit.isAlone ? 0 : NameScore.qualified))
    parts.append((.errors, -hit.edits * (hit.isWhole ? NameScore.edit : NameScore.editOfStart)))
    let isWithoutKind = hit.edits == 0 && attempt(of: hit) == .kind
    parts.append((.kind, isWithoutKind ? -NameScore.kindOfPlace : 0))
    if hits.isByDistance { parts.append((.distance, -NameScore.distance(hit.metres))) }
    let known = parts.reduce(0) { $0 + $1.1 }
    parts.append((.unusualCode, hit.score - NameScore.bias - known))
    return parts.filter { $0.1 != 0 }
  }
}
