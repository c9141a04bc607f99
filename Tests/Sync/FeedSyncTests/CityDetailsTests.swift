import Cities
import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

/// The keys of a city that need not be there: other names, region, time zone and population.
@Suite("Other names, regions and time zones of cities")
struct CityDetailsTests {
  private static func city(_ members: String) throws -> (city: ImportedCity, remarks: [String]) {
    let made = try imported(list(record(1, "Reval", adding: members)))
    let cities = try made.cities()
    #expect(made.summary.records == 1 && made.summary.skipped == 0, "\(members): \(made.remarks)")
    return (try #require(cities.first), made.remarks)
  }

  @Test func `all keys of a record reach the index`() throws {
    let members = """
      "population":394024,"region_code":"01","region":"Harjumaa","county_code":"0784","timezone":"Europe/Tallinn",
      "alternatenames":["Tallinn","TLL","Таллин"]
      """
    let (city, remarks) = try Self.city(members)
    #expect(
      city
        == ImportedCity(
          name: "Reval", population: 394_024, alternates: ["Tallinn", "TLL", "Таллин"], regionCode: "01",
          region: "Harjumaa", countyCode: "0784", zone: "Europe/Tallinn"))
    #expect(remarks.isEmpty)
  }

  @Test(
    arguments: [
      #"["Tallinn","Talinas"]"#, #"["","Tallinn","","Talinas"]"#, #""Tallinn,Talinas""#, #"",Tallinn, Talinas ,,""#,
      #"["Tallinn","Talinas","Tallinn","Reval"]"#,
    ])
  func `other names are an array or one text with commas; empty ones and spaces around commas are nothing`(
    value: String
  ) throws {
    let (city, remarks) = try Self.city("\"alternatenames\":\(value)")
    #expect(city.alternates == ["Tallinn", "Talinas"] && remarks.isEmpty)
  }

  @Test(arguments: ["null", "\"\"", "[]"]) func `null, empty and absent keys are the same`(value: String) throws {
    var members = ["\"alternatenames\":\(value)"]
    if value != "[]" { members += ["region", "region_code", "county_code", "timezone"].map { "\"\($0)\":\(value)" } }
    let (city, remarks) = try Self.city(members.joined(separator: ","))
    #expect(city == ImportedCity(name: "Reval") && remarks.isEmpty)
  }

  @Test(arguments: ["region_code", "county_code"])
  func `the code 00 of a region or county is none, and one that is a number is its digits`(key: String) throws {
    for (value, code) in [("\"00\"", ""), ("6", "6"), ("\"ENG\"", "ENG")] {
      let city = try Self.city("\"\(key)\":\(value)").city
      #expect((key == "region_code" ? city.regionCode : city.countyCode) == code)
    }
  }

  @Test func `texts are composed: NFD and NFC give the same index`() throws {
    func generation(_ o: String) throws -> UInt64 {
      let members = #""alternatenames":["K\#(o)ln","x"],"region":"K\#(o)ln","region_code":"\#(o)""#
      return try imported(list(record(1, "A", adding: members))).image.generation.rawValue
    }
    #expect(try generation("o\\u0308") == generation("ö"))
    #expect(try generation("o\\u0308") != generation("o"))
  }

  @Test(arguments: [
    (#"{"Bruges":99999999999999999999}"#, "has a value that is not a number"), ("3", "is a number, where an object"),
    (#"{"Bruges":"x"}"#, "has a value that is not a number"), ("[7]", "is an array, where an object"),
    ("{\((0...CityRule.maximumAlternates).map { "\"N\($0)\":7" }.joined(separator: ","))}", "has a value"),
  ])
  func `languages that are wrong are left out, and the remark says so`(value: String, problem: String) throws {
    let (city, remarks) = try Self.city(#""alternatenames":["Bruges","y"],"languages":\#(value)"#)
    #expect(city.alternates == ["Bruges", "y"])
    #expect(remarks.count == 1 && remarks[0].hasPrefix("list: record 1: languages \(problem)"), "\(remarks)")
  }

  @Test func `languages may be null or negative`() throws {
    for value in ["null", #"{"Bruges":-1}"#] {
      #expect(try Self.city(#""alternatenames":["Bruges"],"languages":\#(value)"#).remarks.isEmpty)
    }
  }

  @Test func `languages make another index, of names in NFC`() throws {
    func generation(_ languages: String) throws -> UInt64 {
      let members = #""alternatenames":["K\u00f6ln","x"],"languages":{\#(languages)}"#
      return try imported(list(record(1, "A", adding: members))).image.generation.rawValue
    }
    #expect(try generation(#""Ko\u0308ln":2"#) == generation(#""K\u00f6ln":2"#))
    #expect(try generation(#""x":2"#) != generation(#""x":3"#))
    #expect(try generation(#""x":13"#) == generation(#""x":200,"nobody":4"#))
  }

  @Test func `the first of equal keys counts`() throws {
    let (city, _) = try Self.city(#""region":"A","alternatenames":["X"],"alternatenames":["Y"],"region":"B""#)
    #expect(city.region == "A" && city.alternates == ["X"])
  }

  @Test(
    arguments: [
      (#""timezone":2"#, "timezone is not a text, and is left out"),
      (#""timezone":"../../etc/passwd""#, "the time zone is not a name such as Europe/Tallinn, and is left out"),
      (#""region":{"name":"Harjumaa"}"#, "region is not a text, and is left out"),
      (#""region_code":[1]"#, "region_code is not a text, and is left out"),
      (#""region_code":1.5"#, "region_code is not a text, and is left out"),
      (#""region":"a\u001bb""#, "the region contains a control character; it is left out"),
      (
        #""region":"\#(String(repeating: "r", count: 257))""#,
        "the region has 257 bytes, at most 256 are kept; it is left out"
      ),
      (
        #""region_code":"\#(String(repeating: "r", count: 65))""#,
        "the region code has 65 bytes, at most 64 are kept; it is left out"
      ),
      (
        #""alternatenames":true"#,
        "alternatenames is true or false, where an array or text is expected, and is left out"
      ),
      (
        #""alternatenames":{"de":"Reval"}"#,
        "alternatenames is an object, where an array or text is expected, and is left out"
      ),
      (#""alternatenames":[5]"#, "alternate name 1 is not a text; it is left out"),
      (#""alternatenames":["",null]"#, "alternate name 1 is not a text; it is left out"),
      (#""alternatenames":["\ud800"]"#, "alternate name 1 is not UTF-8; it is left out"),
      (#""alternatenames":["a\u0001b"]"#, "the alternate name contains a control character; it is left out"),
    ])
  func `a wrong text never costs the city: it is left out, with a remark`(members: String, problem: String) throws {
    let (city, remarks) = try Self.city(members)
    #expect(city == ImportedCity(name: "Reval"))
    #expect(remarks == ["list: record 1: \(problem)"])
  }

  @Test func `bad other names leave the good ones, and the remark says how many there are`() throws {
    let long = String(repeating: "é", count: 257)
    let (city, remarks) = try Self.city(#""alternatenames":["Tallinn","\#(long)",7,"Talinas",[]]"#)
    #expect(city.alternates == ["Tallinn", "Talinas"])
    #expect(
      remarks == [
        "list: record 1: the alternate name has 514 bytes, at most 512 are kept; 3 alternate names are left out"
      ])
  }

  @Test func `a name that only NFC makes too long is left out`() throws {
    // U+1D160 has four bytes, and three times as many in NFC (UAX #15, "maximum expansion factors").
    let note = String(repeating: "\u{1D160}", count: 128)
    let (city, remarks) = try Self.city(#""alternatenames":["Tallinn","\#(note)"]"#)
    #expect(city.alternates == ["Tallinn"])
    #expect(remarks == ["list: record 1: the alternate name has 1536 bytes, at most 512 are kept; it is left out"])
  }

  @Test func `more other names than an index holds are left out`() throws {
    let names = (0..<CityRule.maximumAlternates + 7).map { "\"N\($0)\"" }.joined(separator: ",")
    let (city, remarks) = try Self.city("\"alternatenames\":[\(names)]")
    #expect(city.alternates.count == CityRule.maximumAlternates)
    #expect(remarks == ["list: record 1: there are more than 1024 alternate names; 7 alternate names are left out"])
  }

  @Test(arguments: [#"{"Tallinn":20}"#, #"{"Tallinn":13,"Talinas":3}"#, #"{"Tallinn":13,"Reval":-1}"#])
  func `an equal record says so, whatever languages the index does not count`(languages: String) throws {
    let one = record(1, "Reval", adding: #""alternatenames":["Tallinn"],"languages":\#(languages)"#)
    let made = try imported(list(one, one))
    #expect(made.summary.records == 1 && made.summary.repeated == 1)
    #expect(made.remarks == ["list: record 2 repeated: the city with id 1 is in an earlier record, with equal fields"])
  }

  @Test func `records about the same city are joined, and those that add something say so`() throws {
    let one = record(1, "Reval", adding: #""alternatenames":["Tallinn"]"#)
    let other = record(1, "Reval", adding: #""alternatenames":["Talinas"],"timezone":"Europe/Tallinn""#)
    let made = try imported(list(one, other, one))
    #expect(made.summary.records == 1 && made.summary.repeated == 2)
    #expect(
      try made.cities() == [
        ImportedCity(name: "Reval", alternates: ["Tallinn", "Talinas"], zone: "Europe/Tallinn")
      ])
    let note = "is in an earlier record, which takes over other names, region and time zone"
    #expect(made.remarks.first == "list: record 2 repeated: the city with id 1 \(note)")
    #expect(
      try imported(list(other, one)).image.header.sections.dropFirst() == made.image.header.sections.dropFirst())
  }
}
