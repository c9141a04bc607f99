internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl distance`.
struct Distance {
  let verb: DistanceVerb
  let context: Context

  /// Writes the distance to standard output.
  func write() throws -> ExitStatus {
    let ends = try verb.places(in: context).map { place in
      if let position = place.at { return (name: geoURI(position), position: position) }
      let city = try context.city(
        place, near: nil, takesFirst: false, isNoted: !verb.isForPeople(in: context), verb.connection
      ).city
      return (name: city.title, position: city.position)
    }
    let way = GreatCircle(from: ends[0].position, to: ends[1].position)
    try verb.write(
      from: ends[0].name, to: ends[1].name, UInt64(way.metres.rounded()), way.bearing, way.direction, in: context)
    return .found
  }
}
