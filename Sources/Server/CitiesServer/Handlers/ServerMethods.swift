import FrameService

extension QueryServer {
  /// Every method of the public socket, frequent ones first; a test compares them with the registry.
  func makeHandlers() -> [any RequestHandler] {
    let served = ServedCities(subject: cities, feeds: feeds)
    let locations = ServedBanks(subject: banks, feeds: BankFeeds(feeds) { [unowned self] in missing($0) }, sync: sync)
    return [
      CitySearchHandler(cities, feeds), CityFindHandler(served), CityGetHandler(served), CityNearHandler(served),
      CityWithinHandler(served), CityLocateHandler(served), CityMatchHandler(served), CityTimeHandler(served),
      BankRegionsHandler(locations), BankListHandler(locations), BankSearchHandler(locations),
      BankGetHandler(locations), BankNearHandler(locations, cities),
      ProductListHandler(desk), ProductGetHandler(desk), RateListHandler(desk), RateConvertHandler(desk),
      HelloHandler(self), StatusHandler(self), WatchHandler(self), RefreshHandler(self), IntrospectHandler(),
    ]
  }
}
