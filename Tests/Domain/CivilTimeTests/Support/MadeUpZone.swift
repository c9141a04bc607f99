/// TZif files written by hand, to be right in all points but one.
struct MadeUpZone {
  /// The byte that names the version; 0 is version 1.
  var version = UInt8(ascii: "2")
  /// Transitions and the offset that begins with each.
  var transitions: [(moment: Int64, index: UInt8)] = []
  /// Offsets with the place of their abbreviation.
  var offsets: [(seconds: Int32, daylight: UInt8, name: UInt8)] = [(7200, 0, 0), (10800, 1, 4)]
  var names: [UInt8] = Array("EET\0EEST\0".utf8)
  var leaps = 0
  /// How many of each kind of indicator.
  var indicators = (universal: 0, standard: 0)
  var footer = "\n\n"

  var bytes: [UInt8] {
    guard version != 0 else { return block(timeBytes: 4) }
    var empty = MadeUpZone()
    empty.version = version
    return empty.block(timeBytes: 4) + block(timeBytes: 8) + Array(footer.utf8)
  }

  private func block(timeBytes: Int) -> [UInt8] {
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [
      indicators.universal, indicators.standard, leaps, transitions.count, offsets.count, names.count,
    ] { bytes += bigEndian(Int64(count)).suffix(4) }
    for transition in transitions { bytes += bigEndian(transition.moment).suffix(timeBytes) }
    bytes += transitions.map(\.index)
    for offset in offsets { bytes += bigEndian(Int64(offset.seconds)).suffix(4) + [offset.daylight, offset.name] }
    bytes += names
    let rest = leaps * (timeBytes + 4) + indicators.universal + indicators.standard
    return bytes + [UInt8](repeating: 0, count: rest)
  }

  private func bigEndian(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
}
