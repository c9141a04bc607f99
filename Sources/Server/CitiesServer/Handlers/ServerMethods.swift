import FrameService

extension QueryServer {
  /// Every method of the public socket, frequent ones first; a test compares them with the registry.
  func makeHandlers() -> [any MethodHandler] {
    let locations = ServedBanks(subject: banks, feeds: BankFeeds(feeds) { [unowned self] in missing($0) })
    let aboutBanks: [any MethodHandler] = [
      BankRegionsHandler(locations), BankListHandler(locations), BankSearchHandler(locations),
      BankGetHandler(locations), BankNearHandler(locations, cities),
    ]
    let aboutTrade: [any MethodHandler] = [
      ProductListHandler(desk), ProductGetHandler(desk), RateListHandler(desk), RateConvertHandler(desk),
    ]
    let served = ServedCities(subject: cities, feeds: feeds)
    var all: [any MethodHandler] = [
      CitySearchHandler(cities, feeds), CityFindHandler(served), CityGetHandler(served), CityNearHandler(served),
      CityWithinHandler(served), CityLocateHandler(served), CityMatchHandler(served), CityTimeHandler(served),
    ]
    all += aboutBanks.map { WantingHandler($0, banks, sync) }
    all += aboutTrade.map { WantingHandler($0, trade, sync) }
    return all + [
      HelloHandler(self), StatusHandler(self), WatchHandler(self), RefreshHandler(self), IntrospectHandler(),
    ]
  }
}
