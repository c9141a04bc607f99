import CitiesProtocol

extension Timestamp {
  /// Seconds since 1970-01-01T00:00:00Z; nil unless the text is `YYYY-MM-DDThh:mm:ssZ`, the form this project writes.
  ///
  /// Days follow from the date in closed form ("chrono-Compatible Low-Level Date Algorithms", H. Hinnant).
  var secondsSince1970: Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 20, bytes[19] == UInt8(ascii: "Z") else { return nil }
    func field(_ start: Int, _ count: Int) -> Int64? {
      bytes[start..<start + count].reduce(Int64?.some(0)) { value, byte in
        guard let value, (0x30...0x39).contains(byte) else { return nil }
        return value * 10 + Int64(byte - 0x30)
      }
    }
    guard let year = field(0, 4), let month = field(5, 2), let day = field(8, 2), let hour = field(11, 2),
      let minute = field(14, 2), let second = field(17, 2), (1...12).contains(month)
    else { return nil }
    // Years begin in March, so that the leap day is the last.
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return ((era * 146_097 + dayOfEra - 719_468) * 24 + hour) * 3_600 + minute * 60 + second
  }
}
