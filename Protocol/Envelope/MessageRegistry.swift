/// All messages of the wire, in one list.
///
/// A test walks it and fails for a message without a handler, a golden vector or a rule in `cities.cddl`.
public enum MessageRegistry {
  /// The messages that `citiesd` answers, which `contrib/generate-messages` lists in the order of the schema.
  public static let `public`: [any RequestMessage.Type] = [
    Hello.self, Status.self, Watch.self, Refresh.self, Introspect.self, CitySearch.self, CityFind.self, CityGet.self,
    CityNear.self, CityWithin.self, CityLocate.self, CityMatch.self, CityTime.self, BankRegions.self, BankList.self,
    BankSearch.self, BankGet.self, BankNear.self, ProductList.self, ProductGet.self, RateList.self, RateConvert.self,
  ]

  /// The messages that only `citiesd-sync` answers, on its own socket.
  public static let `internal`: [any RequestMessage.Type] = [
    FeedRefresh.self, FeedStatus.self,
  ]

  /// Both, public first.
  public static let all = `public` + `internal`
}
