internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

extension DistanceVerb {
  /// Measures the distance, and writes it to standard output.
  func measure(in context: Context) throws -> ExitStatus {
    let ends = try places(in: context).map { place in
      if let position = place.at { return (name: geoURI(position), position: position) }
      let city = try context.city(
        place, near: nil, takesFirst: false, isNoted: !context.isForPeople
      ).city
      return (name: city.title, position: city.position)
    }
    let way = GreatCircle(from: ends[0].position, to: ends[1].position)
    try write(
      [(ends[0].name, ends[1].name, UInt64(way.metres.rounded()), way.bearing, way.direction)], in: context)
    return .found
  }
}
