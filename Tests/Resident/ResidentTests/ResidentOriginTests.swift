import Base
import CitiesProtocol
import Resident
import Testing

@Suite("Origin of a resident file")
struct ResidentOriginTests {
  private let copy = ResidentOrigin.Copy(feed: .swedbankEE, length: 7, digest: 9, settings: ["EE", "Europe/Tallinn"])

  private func fingerprint(
    _ copies: [ResidentOrigin.Copy], of kind: ResidentKind = ResidentBanks.kind
  ) -> UInt64 {
    ResidentOrigin(kind: kind, copies: copies).fingerprint
  }

  @Test func `the same origin has the same fingerprint, in every build and on every machine`() {
    var kind = ResidentBanks.kind
    (kind.rowVersion, kind.name, kind.remedy) = (2, "another name", "another command")
    #expect(hexadecimal(fingerprint([copy], of: kind), digits: 16) == "34aea1985a1e972d")
  }

  @Test func `everything that decides the file's bytes changes the fingerprint`() {
    func changed(_ change: (inout ResidentOrigin.Copy) -> Void) -> UInt64 {
      var other = copy
      change(&other)
      return fingerprint([other])
    }
    var newer = ResidentBanks.kind
    newer.rowVersion += 1
    let fingerprints = [
      fingerprint([copy]), fingerprint([]), fingerprint([copy, copy]), fingerprint([copy], of: newer),
      fingerprint([copy], of: ResidentTrade.kind), changed { $0.feed = .swedbankLV }, changed { $0.isSample = true },
      changed { $0.length = 8 }, changed { $0.digest = 8 }, changed { $0.settings = ["EE", "Europe/Riga"] },
      changed { $0.settings = ["EEEurope/Tallinn"] }, changed { $0.settings = ["EEE", "urope/Tallinn"] },
      changed { $0.settings = [] },
    ]
    #expect(Set(fingerprints).count == fingerprints.count)
  }
}
