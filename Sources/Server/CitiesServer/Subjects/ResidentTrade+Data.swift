import CitiesProtocol
import Resident

extension ResidentTrade: ResidentData {
  static var subject: Subject { .trade }
  static var mark: Int { 2 }
  static func open(_ path: String) throws(ResidentError) -> ResidentTrade { try ResidentTrade(path: path) }
}
