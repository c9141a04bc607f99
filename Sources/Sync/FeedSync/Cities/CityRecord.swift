import Cities

/// One element of the city list, or what is wrong with it.
///
/// ```json
/// {"country": "UA", "name": "Hurzuf", "_id": 707860, "coord": {"lon": 34.283333, "lat": 44.549999}, "population": 8933}
/// ```
///
/// `population` may be missing or `null`; other keys are ignored. Reading never throws, so that one bad element does not
/// end the list: the outermost decoder gives up only on what is no JSON.
enum CityRecord: Decodable {
  case city(City)
  case bad(RecordProblem)

  private enum Key: String, CodingKey {
    case id = "_id"
    case name, country, coord, population
  }

  private enum CoordinateKey: String, CodingKey {
    case lon, lat
  }

  init(from decoder: any Decoder) {
    do {
      let record = try decoder.container(keyedBy: Key.self)
      let coordinate = try record.nestedContainer(keyedBy: CoordinateKey.self, forKey: .coord)
      self = .city(
        City(
          id: try record.number(UInt64.self, .id),
          name: try record.text(.name), country: try record.text(.country),
          latitude: try coordinate.number(Double.self, .lat),
          longitude: try coordinate.number(Double.self, .lon),
          population: try record.decodesNil(.population) ? nil : record.number(UInt64.self, .population)))
    } catch let error as DecodingError {
      self = .bad(RecordProblem(error.clause))
    } catch let problem as RecordProblem {
      self = .bad(problem)
    } catch {
      self = .bad(RecordProblem("\(error)"))
    }
  }
}

extension KeyedDecodingContainer {
  /// A text; of one that is not UTF-8 FoundationEssentials says so in an error of its own, without its place.
  fileprivate func text(_ key: Key) throws -> String {
    do {
      return try decode(String.self, forKey: key)
    } catch let error as DecodingError {
      throw error
    } catch {
      throw RecordProblem.invalidText(key.stringValue)
    }
  }

  /// A number; one that its type cannot hold is told by an error of FoundationEssentials' own, without its place.
  fileprivate func number<Number: Decodable>(_ type: Number.Type, _ key: Key) throws -> Number {
    do {
      return try decode(type, forKey: key)
    } catch let error as DecodingError {
      throw error
    } catch {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "the number is out of range")
    }
  }

  /// Whether there is no value for `key`.
  fileprivate func decodesNil(_ key: Key) throws -> Bool { try !contains(key) || decodeNil(forKey: key) }
}

extension DecodingError {
  /// What is wrong inside a record, in one clause; its path is relative to the record.
  fileprivate var clause: String {
    switch self {
    case .keyNotFound(let key, let context):
      "\(Self.path(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context):
      "\(Self.path(context.codingPath)) is null"
    case .typeMismatch(let type, let context):
      "\(Self.path(context.codingPath)) is no \(Self.noun(type))"
    case .dataCorrupted(let context):
      "\(Self.path(context.codingPath)): \(context.debugDescription)"
    @unknown default:
      "\(self)"
    }
  }

  /// The names of the path behind the record's own position.
  private static func path(_ path: [any CodingKey]) -> String {
    let names = path.filter { $0.intValue == nil }.map(\.stringValue)
    return names.isEmpty ? "the record" : names.joined(separator: ".")
  }

  private static func noun(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is UInt64.Type, is Double.Type: "number"
    default: "object"
    }
  }
}
