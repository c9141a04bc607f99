import CitiesProtocol
import FrameService

extension QueryServer {
  /// Every method of the public socket, frequent ones first; a test compares them with the registry.
  func makeHandlers() -> [any RequestHandler] {
    [
      CitySearchHandler(cities, feeds), CityGetHandler(cities, feeds), CityNearHandler(cities, feeds),
      BankRegionsHandler(banks, feeds), BankListHandler(banks, feeds), BankSearchHandler(banks, feeds),
      BankGetHandler(banks, feeds), BankNearHandler(banks, feeds, cities),
      ProductListHandler(desk), ProductGetHandler(desk), RateListHandler(desk), RateConvertHandler(desk),
      HelloHandler(self), StatusHandler(self), WatchHandler(self), RefreshHandler(sync), IntrospectHandler(),
    ]
  }
}
