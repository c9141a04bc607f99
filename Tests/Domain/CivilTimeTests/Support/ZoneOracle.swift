import Glibc
import TestSupport

/// What the zones of this machine say to Python's zoneinfo and to the C library, which share no code with ours.
enum ZoneOracle {
  /// One moment in one zone.
  struct Sample: Sendable {
    var moment: Int64
    var seconds: Int32
    var isDaylight: Bool
    var abbreviation: String
  }

  /// Where zones lie.
  static let folder = "/usr/share/zoneinfo"

  /// Samples by zone: both sides of every change from 1880 to 2150, and moments between them; empty without Python or
  /// if Python's two sources contradict each other.
  static let samples: [String: [Sample]] = {
    var samples: [String: [Sample]] = [:]
    for line in output(of: "python3 -c '\(script)'").split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count == 5, let moment = Int64(fields[1]), let seconds = Int32(fields[2]) else { return [:] }
      samples[String(fields[0]), default: []].append(
        Sample(moment: moment, seconds: seconds, isDaylight: fields[3] == "1", abbreviation: String(fields[4])))
    }
    return samples
  }()

  /// The zones that are asked for: the four that we serve, and the strangest ones.
  static let zones = [
    "Europe/Tallinn", "Europe/Riga", "Europe/Vilnius", "Europe/Sarajevo", "Europe/Dublin", "Africa/Casablanca",
    "America/New_York", "America/Nuuk", "Asia/Kathmandu", "Asia/Tehran", "Australia/Lord_Howe", "Pacific/Apia",
    "Pacific/Chatham", "Africa/Monrovia", "Etc/UTC", "Etc/GMT+12",
  ]

  private static var script: String {
    """
    import datetime, os, random, time, zoneinfo
    random.seed(9)
    def ask(t):
        c = time.localtime(t)
        return c.tm_gmtoff, c.tm_isdst, c.tm_zone
    def show(name, zone, t):
        offset, dst, label = ask(t)
        other = datetime.datetime.fromtimestamp(t, zone)
        assert (other.utcoffset().total_seconds(), other.tzname()) == (offset, label), (name, t)
        print(name, t, offset, dst, label)
    for name in "\(zones.joined(separator: " "))".split():
        os.environ["TZ"] = name
        time.tzset()
        zone = zoneinfo.ZoneInfo(name)
        first, last, step = -2840140800, 5680281600, 5 * 86400
        for t in range(first, last, step):
            if random.random() < 0.05: show(name, zone, t + random.randrange(step))
            if ask(t) == ask(t + step): continue
            low, high = t, t + step
            while high - low > 1:
                middle = (low + high) // 2
                if ask(middle) == ask(t): low = middle
                else: high = middle
            show(name, zone, low)
            show(name, zone, high)
    """
  }

  private static func output(of command: String) -> String {
    guard let pipe = popen("exec \(command)", "re") else { return "" }
    defer { pclose(pipe) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { result += chunk[..<count] }
    return String(decoding: result, as: UTF8.self)
  }
}
