import CitiesProtocol
import Resident

extension ResidentTrade: ResidentData {
  static var subject: Subject { .trade }
  static var mark: Int { 2 }
  static var proofSlice: Int { 2_000 }
  static func open(_ path: String) throws(ResidentError) -> ResidentTrade { try ResidentTrade(path: path) }
}
