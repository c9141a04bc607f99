import Base
internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol

/// The regions and countries of rows without a city, of which those that the server does not know are reported.
///
/// The reply of `city.match` does not say why a name has no city, so the most frequent ones are looked up afterwards.
final class UnknownAreas {
  /// Different areas that are counted at most.
  private static let maximumCounted = 10_000
  /// Areas that are looked up at most.
  private static let maximumAsked = 20

  private struct Area: Hashable {
    var region: String?
    var country: String?
  }

  /// Rows of each, with the place of the first among all.
  private var rows: [Area: (count: Int, place: Int)] = [:]

  /// Counts the areas of a row without a city; those of a column are empty if the row has none.
  func count(region: String?, country: String?) {
    func named(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
    let area = Area(region: named(region), country: named(country))
    guard area.region != nil || area.country != nil else { return }
    guard rows[area] != nil || rows.count < Self.maximumCounted else { return }
    rows[area, default: (0, rows.count)].count += 1
  }

  /// Names those that are not known, with their rows, most first; `nil` if all are known that were looked up.
  ///
  /// - Complexity: at most ``maximumAsked`` round trips.
  func report(_ connection: ConnectionOptions, in context: Context) throws(ClientError) -> String? {
    let areas = rows.sorted { ($1.value.count, $0.value.place) < ($0.value.count, $1.value.place) }
    var (count, names) = (0, [String]())
    for (area, rows) in areas.prefix(Self.maximumAsked) {
      guard let unknown = try name(of: area, ifUnknown: connection, in: context) else { continue }
      count += rows.count
      names.append("\(unknown) (\(rows.count))")
    }
    guard !names.isEmpty else { return nil }
    return "\(count) \(count == 1 ? "row names an area" : "rows name areas") that the list does not have: "
      + names.joined(separator: ", ")
      + (areas.count > Self.maximumAsked ? "; only the \(Self.maximumAsked) most frequent areas were looked up" : "")
  }

  /// `region 'Bavria'`; `nil` if the server knows the area.
  private func name(
    of area: Area, ifUnknown connection: ConnectionOptions, in context: Context
  ) throws(ClientError) -> String? {
    do {
      let query = area.region ?? area.country ?? ""
      let request = CityFind(query: query, limit: 0, region: area.region, country: area.country)
      _ = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
      return nil
    } catch {
      guard case .server(let reason) = error, reason.code == .invalidParams, let param = reason.data?.param,
        let name = ["region": area.region, "country": area.country][param] ?? nil
      else { throw error }
      let hint = reason.data?.known?.nearest(to: name).map { ", perhaps '\($0)'" } ?? ""
      return "\(param) '\(name)'\(hint)"
    }
  }
}
