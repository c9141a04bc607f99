import Cities
import Coroutines
import Geodesy
import TestSupport
import Testing
import Text

/// Asks an index that may hold anything every kind of question, and insists on answers from within it.
struct HostileAsker {
  static let countries = [nil, "us", "é", "us\u{0}"]
  static let queries = ["", "a", "san", "b,", ", ", "a, b", "são", "!", "lor", ",,,,"].map { Array($0.utf8) }
  static let titles = ["a", "san, us", "B, us", "", ",,,"].map { Array($0.utf8) }
  static let ids: [UInt64] = [0, 1, 8, 15, 1 << 40, .max]
  static let places = [
    GeoPoint(latitude: 10, longitude: 20), GeoPoint(latitude: -90, longitude: 180), GeoPoint(latitude: 0, longitude: 0),
  ]

  static let boxes = [
    GeoBox(south: -90, west: -180, north: 90, east: 180), GeoBox(south: -5, west: 170, north: 60, east: 20),
    GeoBox(south: 10, west: 20, north: 10, east: 20),
  ]

  let index: CityIndex
  private var matches = CityMatches()
  private var neighbours = Neighbours()
  private var nameSearch = NameSearch()
  private var resolver = PlaceResolver()
  private let folder = CaseFolder()
  /// Their number has no divisor in common with that of the turns.
  static let names = [
    "a", "san us", "são", "abcdefghi", "!", "x", "xan tex", "xan", "US", "xa us", "texas usa", "xab city", "pr",
  ].map { Array($0.utf8) }

  init(_ index: CityIndex) { self.index = index }

  /// Asks for prefixes, titles, places and ids.
  mutating func askForCities() {
    for mode in CityMatchMode.allCases {
      for country in Self.countries { for query in Self.queries { search(query, mode, country) } }
    }
    for title in Self.titles { get(title) }
    for place in Self.places { near(place, limit: 5) }
    for box in Self.boxes { within(box, limit: 5) }
    for id in Self.ids { lookUp(id) }
    try? index.verify()
  }

  /// Asks for a name, by turns for another, in another area, and for all that names are read for.
  ///
  /// All questions at once about every bit of a file would take minutes.
  mutating func askForNames(turn: Int) {
    let name = Self.names[turn % Self.names.count]
    find(name, PlaceConditions(limit: 3, near: turn % 2 == 0 ? nil : Self.places[0]), in: Self.areas[turn % 3])
    if turn % 8 == 0 { _ = (index.alternates(), index.areaNames(countryCodes: [])) }
    if turn % 8 == 4 { compare(name) }
    if turn % 8 == 2 { resolve(name) }
  }

  private mutating func resolve(_ name: [UInt8]) {
    let index = index
    for conditions in [PlaceConditions(limit: 1), PlaceConditions(limit: 1, allowsTypos: false)] {
      name.withUnsafeBytes { resolver.begin($0, conditions, index) }
      guard let found = try? Coroutine.complete(&resolver, { try await $0.resolve(index, $1) }) else {
        Issue.record("not resolved")
        return
      }
      for rank in [found.rank, found.second, resolver.hit?.rank] { if let rank { read(rank) } }
      let isSound = (found.rank == nil) == (found.certainty == .none) && !(found.isArea && found.rank != nil)
      if !isSound || found.second.map({ $0 == found.rank }) ?? false { Issue.record("\(found)") }
    }
  }

  private mutating func compare(_ name: [UInt8]) {
    let index = index
    name.withUnsafeBytes { resolver.begin($0, PlaceConditions(limit: 1), index) }
    do {
      try Coroutine.complete(&resolver) { try await $0.compare(near: Self.places[0], index, $1) }
    } catch {
      Issue.record(error)
    }
    if let nearest = resolver.nearest { read(nearest.rank) }
    if resolver.candidates.count > min(resolver.total, PlaceResolver.maximumCandidates) {
      Issue.record("\(resolver.candidates.count) candidates of \(resolver.total)")
    }
    for place in 0..<resolver.candidates.count { read(resolver.candidates[place].rank) }
  }

  /// Asks a few questions, for when there are millions of indices.
  mutating func askSomething(_ mutator: inout Mutator) {
    for _ in 0..<3 {
      let mode = mutator.pick([CityMatchMode.plain, .folded])
      search(mutator.pick(Self.queries), mode, mutator.pick(Self.countries))
    }
    get(mutator.pick(Self.titles))
    near(mutator.pick(Self.places), limit: mutator.below(50))
    within(mutator.pick(Self.boxes), limit: mutator.below(50))
    lookUp(mutator.pick(Self.ids))
    find(mutator.pick(Self.names), PlaceConditions(limit: mutator.below(20)), in: mutator.pick(Self.areas))
    if mutator.below(4) == 0 { try? index.verify() }
  }

  private mutating func search(_ query: [UInt8], _ mode: CityMatchMode, _ country: String?) {
    index.search(query, mode, country: country, into: &matches)
    let isInside = matches.total >= 0 && matches.total <= index.count
    if !isInside { Issue.record("\(matches.total) of \(index.count) match") }
    _ = index.ids(matches, offset: 1, limit: 20)
    _ = index.idsByPopulation(matches, offset: 0, limit: 3)
    _ = try? index.chosen(matches, .onePlace)
    _ = try? index.chosen(matches, .nearest(to: GeoPoint(latitude: 1, longitude: 1)))
  }

  private mutating func get(_ title: [UInt8]) {
    title.withUnsafeBytes { index.cities(titled: $0, base: $0, into: &matches) }
    if matches.total > index.count { Issue.record("\(matches.total) of \(index.count) match") }
    _ = try? index.chosen(matches, .onePlace)
  }

  private mutating func near(_ place: GeoPoint, limit: Int) {
    for rule in [NearRule.nearest, .place(country: 0), .place(country: 0x4545)] {
      index.near(place, rule: rule, limit: limit, into: &neighbours)
      if neighbours.count > limit { Issue.record("\(neighbours.count) neighbours, \(limit) were asked for") }
      for place in 0..<neighbours.count { read(neighbours[place].item) }
    }
  }

  private func within(_ box: GeoBox, limit: Int) {
    let ranks = index.ranks(in: box, limit: limit)
    if ranks.count > limit { Issue.record("\(ranks.count) cities in a box, \(limit) were asked for") }
    for rank in ranks { read(rank) }
  }

  private static let areas = ["", "us", "texas"].map { Array($0.utf8) }

  private mutating func find(_ name: [UInt8], _ conditions: PlaceConditions, in area: [UInt8]) {
    var conditions = conditions
    area.withUnsafeBytes { area in
      do { try conditions.require(country: area, index) } catch { try? conditions.require(region: area, index) }
    }
    let key = folder.folded(String(decoding: name, as: UTF8.self), .words)
    key.withUnsafeBytes { nameSearch.begin($0, conditions, index) }
    while !nameSearch.advance(steps: 1_000, index) {}
    if nameSearch.hits.count > conditions.limit { Issue.record("\(nameSearch.hits.count) hits") }
    for place in 0..<nameSearch.hits.count {
      let hit = nameSearch.hits[place]
      read(hit.rank)
      _ = (index.kind(of: hit), index.spelling(of: hit).reduce(0) { $0 &+ Int($1) })
      _ = index.surroundings(of: hit.rank).region.reduce(0) { $0 &+ Int($1) }
    }
  }

  private func lookUp(_ id: UInt64) {
    if let rank = index.rank(id: id) { read(rank) }
  }

  /// Reads all that is known of a rank that an answer gave.
  private func read(_ rank: Int) {
    _ = index.row(at: rank).reduce(0) { $0 &+ Int($1) }
    _ = (index.id(at: rank), index.point(at: rank), index.population(at: rank))
  }
}
