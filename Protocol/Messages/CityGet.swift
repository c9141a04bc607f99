/// `city.get`: one city, by id or by title.
///
/// A title is compared in four tiers, and the first that finds anything decides: `name, country` as written (case
/// folded), the name alone, then both without diacritics. Several cities in the deciding tier are `ambiguous`, unless
/// `near` chooses the nearest of them.
public struct CityGet: RequestMessage {
  /// The method's name.
  public static let method = "city.get"
  /// The city's id; exactly one of `id` and `title` is given.
  public var id: UInt64?
  /// The city's title, `name, country`, or its name alone.
  public var title: String?
  /// Of several cities with the title, the one nearest to this place.
  public var near: Place?

  /// Asks by id.
  public init(id: UInt64) { self.id = id }

  /// Asks by title.
  public init(title: String, near: Place? = nil) {
    self.title = title
    self.near = near
  }

  /// The city.
  public struct Reply: Codable, Equatable, Sendable {
    /// The city.
    public var city: CityRow
    /// What it was read from, 16 hexadecimal digits.
    public var generation: String

    /// Makes a reply.
    public init(city: CityRow, generation: String) {
      self.city = city
      self.generation = generation
    }
  }
}
