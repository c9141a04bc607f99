import Cities
import Resident
import Text

/// The optional texts of a record, as written: other names, region, county and time zone.
///
/// An invalid text does not lose the city: the text is left out, with a remark on the record.
struct CityDetails {
  /// GeoNames' code for an unknown region or county.
  private static let unknown = "00"

  var alternates = AlternateNames()
  /// How many languages use each name.
  var languages: [TextKey: Int] = [:]
  var regionCode = ""
  var countyCode = ""
  var region = ""
  var zone = ""
  private(set) var remarks: [String] = []

  /// Remarks that `key` is left out because of its type.
  mutating func leaveOut(_ key: String, _ problem: String) { remarks.append("\(key) \(problem), and is left out") }

  /// Puts the texts into `city`, in NFC; those that ``CityRule`` refuses are left out.
  ///
  /// - Complexity: O(n) in the bytes of the texts that are kept.
  mutating func complete(_ city: inout City, _ folder: CaseFolder) {
    city.regionCode = regionCode == Self.unknown ? "" : kept(regionCode, .regionCode, folder)
    city.region = kept(region, .region, folder)
    city.countyCode = countyCode == Self.unknown ? "" : kept(countyCode, .countyCode, folder)
    city.zone = kept(zone, .zone, folder)
    if !city.zone.isEmpty, !ZoneFolder.isName(city.zone) {
      leaveOut("the time zone", "is not a name such as Europe/Tallinn")
      city.zone = ""
    }
    city.alternates = alternates.composed(folder)
    // As the index stores them: a record with others would differ from an equal one.
    let names = Set(languages.isEmpty ? [] : city.alternates.map { TextKey($0) })
    for (name, count) in languages
    where count > 0 && name.text.utf8.count <= CityRule.maximumAlternateBytes {
      let name = names.contains(name) ? name : TextKey(folder.composed(name.text))
      guard names.contains(name) else { continue }
      city.languages[name] = max(city.languages[name] ?? 0, min(count, CityRule.maximumLanguages))
    }
    if let remark = alternates.remark { remarks.append(remark) }
  }

  private mutating func kept(_ text: String, _ field: CityProblem.Field, _ folder: CaseFolder) -> String {
    if text.isEmpty { return text }
    // Rejected before the costly composition if it is too long.
    let composed = CityRule.problem(with: text, as: field) == nil ? folder.composed(text) : text
    guard let problem = CityRule.problem(with: composed, as: field) else { return composed }
    remarks.append("\(problem); it is left out")
    return ""
  }
}

/// The other names of a record, at most ``CityRule/maximumAlternates``; empty ones are ignored without a remark.
struct AlternateNames {
  private var names: [String] = []
  /// Non-empty names so far, kept or not.
  private var count = 0
  private var leftOut = 0
  /// Why the first name was left out.
  private var problem: String?

  /// Why the first one was left out, and how many were; `nil` if none was.
  var remark: String? {
    guard let problem else { return nil }
    return leftOut == 1
      ? "\(problem); it is left out" : "\(problem); \(leftOut) alternate names are left out"
  }

  mutating func add(_ name: String) {
    if name.isEmpty { return }
    count += 1
    if let problem = CityRule.problem(with: name, as: .alternate) { return leaveOut("\(problem)") }
    guard names.count < CityRule.maximumAlternates else {
      return leaveOut("there are more than \(CityRule.maximumAlternates) alternate names")
    }
    names.append(name)
  }

  /// Adds the names between the commas of `text`, without spaces around them.
  ///
  /// - Complexity: O(n) in the bytes of `text`, in memory O(names kept).
  mutating func add(separatedByCommas text: String) {
    let (comma, space) = (UInt8(ascii: ","), UInt8(ascii: " "))
    var rest = text.utf8[...]
    while !rest.isEmpty {
      var name = rest.prefix { $0 != comma }
      rest = rest[name.endIndex...].dropFirst()
      name = name.drop { $0 == space }
      while name.last == space { name.removeLast() }
      add(String(Substring(name)))
    }
  }

  /// Notes that a name is left out because of its type or its bytes.
  mutating func addUnreadable(_ clause: String) {
    count += 1
    leaveOut("alternate name \(count) \(clause)")
  }

  /// The names in NFC, which may be longer than they were written.
  mutating func composed(_ folder: CaseFolder) -> [String] {
    var isLonger = false
    for index in names.indices {
      names[index] = folder.composed(names[index])
      if names[index].utf8.count > CityRule.maximumAlternateBytes { isLonger = true }
    }
    guard isLonger else { return names }
    return names.filter { name in
      guard let problem = CityRule.problem(with: name, as: .alternate) else { return true }
      leaveOut("\(problem)")
      return false
    }
  }

  private mutating func leaveOut(_ clause: String) {
    leftOut += 1
    if problem == nil { problem = clause }
  }
}
