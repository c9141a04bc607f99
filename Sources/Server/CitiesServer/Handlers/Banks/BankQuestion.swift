import Banks
import Base
import CitiesProtocol
import CivilTime
import FrameService
import Resident

/// The conditions of a question about locations, read: which of them, and the moment that `open` is about.
struct BankQuestion {
  /// Which locations.
  let filter: BankFilter
  /// Seconds since 1970-01-01T00:00:00Z.
  let moment: Int64

  /// Reads the parameter `filter`.
  ///
  /// - Throws: `invalid-params` for a moment that is none, or a kind that there is not.
  init(_ conditions: BankConditions?, _ zones: ZoneTable) throws(WireError) {
    moment = try Self.moment(conditions?.at, "filter.at")
    filter = BankFilter(
      country: conditions?.country, region: conditions?.region, category: try Self.category(conditions?.kind),
      bank: conditions?.bank,
      open: conditions?.open == true ? BankFilter.OpenAt(moment: moment, zones: zones) : nil)
  }

  /// The moment that RFC 3339 text stands for, now without any; `param` names it in errors.
  ///
  /// - Throws: `invalid-params`.
  static func moment(_ text: String?, _ param: String) throws(WireError) -> Int64 {
    guard let text else { return Timestamp.secondsNow }
    do throws(RFC3339Error) { return try RFC3339.parse(text) } catch { throw .invalidParam(param, "\(error)") }
  }

  private static func category(_ kind: BankRow.Kind?) throws(WireError) -> LocationCategory? {
    guard let kind else { return nil }
    guard let category = LocationCategory(rawValue: kind.rawValue) else {
      let known = LocationCategory.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalidParam("filter.kind", "no kind \"\(kind.rawValue.excerpt(32))\"; there are \(known)")
    }
    return category
  }
}

extension WireError {
  /// `invalid-params` for the name in a filter under which nothing stands.
  init(_ problem: BankFilterProblem) {
    let param =
      switch problem {
      case .unknownCountry: "filter.country"
      case .unknownRegion: "filter.region"
      case .unknownBank: "filter.bank"
      }
    self = .invalidParam(param, "\(problem)")
  }
}
