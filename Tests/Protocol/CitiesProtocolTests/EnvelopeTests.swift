import CBOR
import CBORTools
import CitiesProtocol
import Testing

@Suite struct EnvelopeTests {
  private func diagnostic(_ value: some Encodable) throws -> String {
    try CBORValue(decoding: CBOREncoder().encode(value)).diagnostic
  }

  @Test func `request reply error and event have their keys`() throws {
    #expect(
      try diagnostic(RequestEnvelope(id: 7, CitySearch(prefix: "alb", limit: 20)))
        == #"{"id": 7, "method": "city.search", "params": {"limit": 20, "prefix": "alb"}}"#)
    #expect(
      try diagnostic(ServerEnvelope<CitySearch>(id: 7, error: WireError(.notFound, "no", data: ErrorData(total: 0))))
        == #"{"id": 7, "error": {"code": "not-found", "data": {"total": 0}, "message": "no"}}"#)
    let event = Watch.Event(event: "changed", subject: .cities, at: Timestamp(secondsSince1970: 0))
    #expect(
      try diagnostic(ServerEnvelope<Watch>(id: 3, event: event))
        == #"{"id": 3, "event": {"at": 0("1970-01-01T00:00:00Z"), "event": "changed", "subject": "cities"}}"#)
    #expect(try diagnostic(RequestEnvelope(id: 1, Status())) == #"{"id": 1, "method": "status", "params": {}}"#)
  }

  @Test(arguments: [
    ("sort", #"expected "source" or "amount" or "currency", found "x""#),
    ("rounding", #"expected "once" or "step", found "x""#),
  ])
  func `unknown word is refused with the words that there are`(param: String, message: String) throws {
    let params = CBORValue.map([(key: .text("sku"), value: .text("A")), (key: .text(param), value: .text("x"))])
    let bytes = try CBOREncoder().encode(params)
    let error = #expect(throws: CBORError.self) { try CBORDecoder().decode(ProductGet.self, from: bytes) }
    #expect(error?.kind == .refused(message) && error?.path == param)
  }

  @Test func `request for another method is refused by name`() throws {
    let bytes = try CBOREncoder().encode(RequestEnvelope(id: 1, Status()))
    let error = #expect(throws: CBORError.self) {
      try CBORDecoder().decode(RequestEnvelope<Introspect>.self, from: bytes)
    }
    #expect(error?.kind == .refused(#"expected "introspect", found "status""#))
  }

  @Test func `unknown keys of a later server are ignored`() throws {
    let json =
      #"{"id": 1, "later": 2, "result": {"rows": [{"id": 5, "name": "Å", "country": "NO", "lat": 1, "lon": 2, "feature": "PPL"}], "total": 1, "common": "å", "generation": "0000000000000000", "hint": {}}}"#
    let reply = try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: CBORValue(json: json).encoded())
    #expect(reply.result?.rows == [CityRow(id: 5, lat: 1, lon: 2, name: "Å", country: "NO")])
  }

  @Test func `unknown codes subjects and outcomes are passed on`() throws {
    let json = #"{"id": 1, "error": {"code": "on-fire", "message": "m", "data": {"subject": "weather"}}}"#
    let reply = try CBORDecoder().decode(ServerEnvelope<Hello>.self, from: CBORValue(json: json).encoded())
    #expect(reply.error?.code == ErrorCode(rawValue: "on-fire"))
    #expect(reply.error?.data?.subject == Subject(rawValue: "weather"))
  }

  @Test(arguments: [
    #"{"id": 1}"#, #"{"id": 1, "result": {"feeds": []}, "error": {"code": "busy", "message": ""}}"#,
    #"{"id": 1, "result": null}"#,
  ])
  func `reply without exactly one answer is refused`(json: String) throws {
    let bytes = try CBORValue(json: json).encoded()
    let error = #expect(throws: CBORError.self) { try CBORDecoder().decode(ServerEnvelope<Refresh>.self, from: bytes) }
    #expect(error?.kind == .refused(#"expected exactly one of "result", "error" and "event""#))
  }

  @Test func `event of a message that has none is refused`() throws {
    let bytes = try CBORValue(json: #"{"id": 1, "event": {}}"#).encoded()
    let error = #expect(throws: CBORError.self) { try CBORDecoder().decode(ServerEnvelope<Status>.self, from: bytes) }
    #expect(error?.path == "event")
  }

  @Test func `keys of a row stand in the order in which they are declared`() throws {
    let row = CityRow(id: 1, lat: 0.5, lon: 1.5, name: "n", country: "c", population: 2)
    #expect(try diagnostic(row) == #"{"id": 1, "lat": 0.5, "lon": 1.5, "name": "n", "country": "c", "population": 2}"#)
    #expect(row.title == "n, c")
  }
}
