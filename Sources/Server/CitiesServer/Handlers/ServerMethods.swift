import FrameService

extension QueryServer {
  /// Every method of the public socket, frequent ones first; a test compares them with the registry.
  func makeHandlers() -> [any MethodHandler] {
    let bankFeeds = BankFeeds(feeds) { [unowned self] in missing($0) }
    let aboutBanks: [any MethodHandler] = [
      BankRegionsHandler(banks, bankFeeds), BankListHandler(banks, bankFeeds), BankSearchHandler(banks, bankFeeds),
      BankGetHandler(banks, bankFeeds), BankNearHandler(banks, bankFeeds, cities),
    ]
    let aboutTrade: [any MethodHandler] = [
      ProductListHandler(desk), ProductGetHandler(desk), RateListHandler(desk), RateConvertHandler(desk),
    ]
    let served = ServedCities(cities, feeds)
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
