import Banks
import CitiesProtocol
import FrameService

/// The parsed conditions of a question about locations: the filter, and the moment to which `open` refers.
struct BankQuestion {
  let filter: BankFilter
  /// The moment to which `open` refers.
  let moment: LocalMoment

  /// Selects all locations.
  init(at moment: LocalMoment) { (filter, self.moment) = (BankFilter(), moment) }

  /// Parses the parameter `filter`.
  ///
  /// - Throws: `invalid-params` for an invalid moment or an unknown kind.
  init(_ conditions: BankConditions?, _ calendar: LocalCalendar) throws(WireError) {
    moment = calendar.moment(try AskedMoment(conditions?.at, param: "filter.at"))
    filter = BankFilter(
      country: conditions?.country, region: conditions?.region,
      categories: try Self.categories(conditions?.kind, conditions?.kinds), bank: conditions?.bank,
      open: conditions?.open == true ? moment : nil)
  }

  /// The categories named by the parameters `kind` and `kinds`, if given; with both, their intersection.
  private static func categories(
    _ kind: BankRow.Kind?, _ kinds: [BankRow.Kind]?
  ) throws(WireError) -> Set<LocationCategory>? {
    var named: Set<LocationCategory>?
    if let kinds {
      guard !kinds.isEmpty else { throw .invalidParam("filter.kinds", "expected at least one kind") }
      named = []
      for kind in kinds { named?.insert(try category(kind, param: "filter.kinds")) }
    }
    guard let kind else { return named }
    let one: Set = [try category(kind, param: "filter.kind")]
    return named?.intersection(one) ?? one
  }

  private static func category(_ kind: BankRow.Kind, param: String) throws(WireError) -> LocationCategory {
    guard let category = LocationCategory(word: kind.rawValue) else {
      let (name, known) = (kind.rawValue, LocationCategory.allCases.map(\.rawValue))
      let problem = "no kind \"\(name.excerpt(32))\"; there are \(known.joined(separator: ", "))"
      throw .unknownName(param, name, problem, of: known)
    }
    return category
  }
}

extension AskedMoment {
  /// Parses the parameter `param` as ``AskedMoment/init(_:now:)`` does; by default, the current time.
  ///
  /// - Throws: `invalid-params`.
  init(_ text: String?, param: String) throws(WireError) {
    let now = Timestamp.secondsNow
    guard let text else {
      self = .instant(now)
      return
    }
    do throws(RFC3339Error) {
      self = try AskedMoment(text, now: now)
    } catch {
      throw .invalidParam(
        param, "\(error); a local time (2026-03-29T14:30), a day and a time of day are understood too")
    }
  }
}

extension WireError {
  /// `invalid-params` for an unknown name in a filter.
  init(_ problem: BankFilterProblem) {
    let (param, name, known, total) =
      switch problem {
      case .unknownCountry(let name, let known): ("filter.country", name, known, known.count)
      case .unknownRegion(let name, let known, let total): ("filter.region", name, known, total)
      case .unknownBank(let name, let known): ("filter.bank", name, known, known.count)
      }
    self = .unknownName(param, name, "\(problem)", of: known.prefix(BankFilterProblem.mostKnown))
    data?.knownTotal = UInt64(total)
  }
}
