import CitiesProtocol
package import Resident

/// All feeds of this build, in the order of ``FeedName/all``.
package enum FeedRegistry {
  /// The feeds as `configuration` sets them up, writing into `state`.
  package static func feeds(_ configuration: SyncConfiguration, state: StateFolder) -> [any Feed] {
    let cities = configuration[.cities]
    return [CityFeed(source: cities.url, interval: cities.interval, state: state)]
  }
}
