internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol

/// The regions and countries of rows without a sure city, of which those that the server does not know are reported.
///
/// The reply of `city.match` does not say why a name has no city, so the most frequent ones are looked up afterwards.
final class UnknownAreas {
  /// Different areas that are counted at most.
  private static let maximumCounted = 10_000
  /// Areas that are looked up at most.
  private static let maximumAsked = 1_000
  /// Areas that are named at most.
  private static let maximumNamed = 20
  /// Bytes of an area that is counted at most: a longer text is none, and many would fill the memory.
  private static let maximumBytes = 256

  private struct Area: Hashable {
    var region: String?
    var country: String?
    /// What follows the last comma of the name: a region or a country.
    var ofName: String?

    var isEmpty: Bool { region == nil && country == nil && ofName == nil }
  }

  /// Rows of each, with the place of the first among all.
  private var rows: [Area: (count: Int, place: Int)] = [:]

  /// Counts the areas of a row; those of a column are empty if the row has none.
  func count(region: String?, country: String?, in name: String?) {
    func named(_ text: String?) -> String? {
      text.flatMap { (1...Self.maximumBytes).contains($0.utf8.count) ? $0 : nil }
    }
    let parts = name?.split(separator: ",") ?? []
    let last = parts.count > 1 ? parts.last.map { String($0.drop { $0.is(" ") }) } : nil
    let area = Area(region: named(region), country: named(country), ofName: named(last))
    let place = rows.count
    guard !area.isEmpty, rows[area] != nil || place < Self.maximumCounted else { return }
    rows[area, default: (0, place)].count += 1
  }

  /// Names those that are not known, with their rows, most first; `nil` if all are known that were looked up.
  ///
  /// - Complexity: at most four times ``maximumAsked`` round trips.
  func report(in context: Context) throws(ClientError) -> String? {
    let areas = rows.sorted { ($1.value.count, $0.value.place) < ($0.value.count, $1.value.place) }
    var (count, names) = (0, [String]())
    for (area, rows) in areas.prefix(Self.maximumAsked) {
      guard let unknown = try nameIfUnknown(area, in: context) else { continue }
      count += rows.count
      names.append("\(unknown) (\(rows.count))")
    }
    guard !names.isEmpty else { return nil }
    return "\(count) \(count == 1 ? "row names an area" : "rows name areas") that the list does not have: "
      + names.prefix(Self.maximumNamed).joined(separator: ", ")
      + (names.count > Self.maximumNamed ? " and \(names.count - Self.maximumNamed) more" : "")
      + (areas.count > Self.maximumAsked ? "; only the \(Self.maximumAsked) most frequent areas were looked up" : "")
  }

  /// `region 'Bavria'`; `nil` if the server knows the area.
  private func nameIfUnknown(_ area: Area, in context: Context) throws(ClientError) -> String? {
    if let unknown = try nameIfUnknown(region: area.region, country: area.country, in: context) {
      return unknown
    }
    guard let last = area.ofName, try nameIfUnknown(country: last, in: context) != nil,
      let unknown = try nameIfUnknown(region: last, in: context)
    else { return nil }
    // The city of an address stands there, too.
    let first = try context.send(CityFind(query: last, limit: 1, typos: false, finished: true)).rows.first
    let name = first.map { $0.matched ?? $0.city.name }
    return name?.lowercased().utf8.elementsEqual(last.lowercased().utf8) == true ? nil : unknown
  }

  private func nameIfUnknown(
    region: String? = nil, country: String? = nil, in context: Context
  ) throws(ClientError) -> String? {
    guard let query = region ?? country else { return nil }
    do {
      _ = try context.send(CityFind(query: query, limit: 0, region: region, country: country))
      return nil
    } catch {
      guard case .server(let reason) = error, reason.code == .invalidParams, let param = reason.data?.param,
        let name = param == "region" ? region : param == "country" ? country : nil
      else { throw error }
      let hint = reason.data?.known?.nearest(to: name).map { ", perhaps '\($0)'" } ?? ""
      return "\(param) '\(name.excerpt(TableBatch.excerptLength))'\(hint)"
    }
  }
}
