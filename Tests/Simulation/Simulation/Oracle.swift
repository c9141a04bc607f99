import CBOR
import CitiesProtocol

/// What the server may answer: the bytes that an undisturbed server has answered, for each variant of the data.
struct Oracle {
  let templates: [Template]
  let images: [Subject: [Image]]
  /// The replies by template and variant, with the id 256.
  var answers: [[[UInt8]]]
  /// Templates whose answer takes more than one slice of time.
  var long: Set<Int> = []
  /// How long each answer took, in nanoseconds of virtual time.
  var times: [Int64] = []
  /// What each answer cost an undisturbed server, of all variants.
  var costs: [Cost] = []

  init() throws {
    images = try Image.all()
    templates = try Template.all(images)
    answers = Array(repeating: Array(repeating: [], count: Image.variants), count: templates.count)
    costs = Array(repeating: Cost(), count: templates.count)
  }

  /// The places of templates that `isWanted`.
  func places(where isWanted: (Int, Template) -> Bool) -> [Int] {
    templates.indices.filter { isWanted($0, templates[$0]) }
  }

  /// The fault of a reply to `request`, whose first byte was sent at `time`; nil if it is right.
  func problem(
    of frame: ArraySlice<UInt8>, _ reply: Reply, for request: Session.Expected, _ template: Template,
    since time: Int64, _ session: Session, _ world: World
  ) -> String? {
    switch template.kind {
    case .broken, .fatal:
      return isEqual(frame, answers[request.template][0], reply.id) ? nil : "another answer to a broken frame"
    default: break
    }
    guard reply.id == request.id else { return "the reply has the id \(reply.id): it is not this request's turn" }
    guard let delivered = request.delivered else { return "a reply before the request was complete" }
    switch template.kind {
    case .constant:
      return isEqual(frame, answers[request.template][0], reply.id) ? nil : "another answer than the oracle's"
    case .momentary where template.name == Refresh.method && world.isRefreshable:
      return Self.isRefreshed(frame) ? nil : "no refresh, although the sync service answers: \(Self.text(of: frame))"
    case .momentary, .watch:
      let mayBeBusy = reply.kind == .error && (reply.code == "busy" || reply.code == "unavailable")
      return reply.kind == .result || mayBeBusy ? nil : "an error \(reply.code)"
    case .data(let subject): return problem(of: frame, reply, request, subject, nil, delivered...time, world)
    case .page(let subject, let variant):
      let isNew = !session.answeredSubjects.contains(subject)
      if isNew, isOlder(frame, request, subject, variant, delivered...max(delivered, time), world) {
        return "an older generation for a connection that was never answered from it"
      }
      return problem(of: frame, reply, request, subject, variant, delivered...max(delivered, time), world)
    case .broken, .fatal: return nil
    }
  }

  /// Whether `frame` says that the sync service has answered for every feed.
  private static func isRefreshed(_ frame: ArraySlice<UInt8>) -> Bool {
    let reply = try? CBORDecoder().decode(ServerEnvelope<Refresh>.self, from: Array(frame.dropFirst(4)))
    guard let feeds = reply?.result?.feeds, !feeds.isEmpty else { return false }
    return feeds.allSatisfy { $0.outcome == .unchanged }
  }

  /// Whether `frame` is the page of `variant`, which was not served in `window`.
  private func isOlder(
    _ frame: ArraySlice<UInt8>, _ request: Session.Expected, _ subject: Subject, _ variant: Int,
    _ window: ClosedRange<Int64>, _ world: World
  ) -> Bool {
    !world.history(of: subject).states(in: window).contains { $0.mayBe(variant) }
      && isEqual(frame, answers[request.template][variant], request.id)
  }

  private func problem(
    of frame: ArraySlice<UInt8>, _ reply: Reply, _ request: Session.Expected, _ subject: Subject, _ page: Int?,
    _ window: ClosedRange<Int64>, _ world: World
  ) -> String? {
    let history = world.history(of: subject)
    let served = history.states(in: window)
    if reply.kind == .error, reply.code == "unavailable" {
      // Work in slices on a file that has been replaced ends when that file is written to.
      let isCutShort =
        Self.text(of: frame).contains("changed during the request") && world.wasWritten(subject, at: window.upperBound)
      // What the first refresh brings is not answered from before it is complete.
      let isFilling = world.syncService != nil && Self.text(of: frame).contains("contacted for the first time")
      let isRight =
        isCutShort || isFilling || served.contains { $0.mayBeNothing } || world.filesFail(at: window.lowerBound)
      return isRight ? nil : "unavailable although there is data: \(Self.text(of: frame))"
    }
    // Work in slices on a file that is out of service by now may find it damaged.
    if reply.kind == .error, reply.code == "internal", world.wasBroken(subject) { return nil }
    var isBroken = false
    for variant in 0..<Image.variants {
      let isServed = served.contains { $0.mayBe(variant) } || page == variant && history.wasServed(variant, window)
      guard isServed, isEqual(frame, answers[request.template][variant], reply.id) else { continue }
      if world.holdsIntact(subject, variant, at: window.lowerBound) { return nil }
      isBroken = true
    }
    if isBroken { return "an answer from a file that was changed before the request came" }
    // An installed file that stands in for one that was refused says so, and names its generation.
    let pages = page == nil ? served : served + history.states(in: window, andBefore: History.grace)
    if reply.kind == .result, pages.contains(where: { $0.isFallback }) { return nil }
    let known = (0..<Image.variants).filter { isEqual(frame, answers[request.template][$0], reply.id) }
    return known.isEmpty
      ? "bytes that no generation has given: \(Self.text(of: difference(frame, request.template)))"
      : "the answer of variant \(known) while \(served) was served"
  }

  /// The part of `frame` from where it differs from all answers.
  private func difference(_ frame: ArraySlice<UInt8>, _ template: Int) -> ArraySlice<UInt8> {
    let equal = answers[template].map { answer in zip(frame, answer).prefix { $0 == $1 }.count }.max() ?? 0
    return frame.dropFirst(max(0, equal - 40))
  }

  /// The readable bytes of a reply, for a finding.
  private static func text(of frame: ArraySlice<UInt8>) -> String {
    String(decoding: frame.dropFirst(4).prefix(300).map { (32...126).contains($0) ? $0 : 46 }, as: UTF8.self)
  }

  private func isEqual(_ frame: ArraySlice<UInt8>, _ wanted: [UInt8], _ id: Int) -> Bool {
    guard frame.count == wanted.count else { return false }
    let offset = id == 0 ? 0 : Template.idOffset + 2
    return frame.dropFirst(offset).elementsEqual(wanted.dropFirst(offset))
  }
}

/// What the server has served of one subject, and when.
struct History {
  /// The data in service.
  enum State: Equatable {
    /// A variant; of the installed file in the place of a better one that was refused or is gone, if `isFallback`.
    case variant(Int, isFallback: Bool)
    /// Nothing.
    case nothing
    /// Any of them, or nothing: the first file is not announced.
    case unknown

    /// Whether a reply may say that there is nothing.
    var mayBeNothing: Bool { self == .nothing || self == .unknown }

    /// Whether a reply may come from `variant`.
    func mayBe(_ variant: Int) -> Bool {
      if case .variant(let served, _) = self { served == variant } else { self == .unknown }
    }

    /// Whether an installed file stands in for another one.
    var isFallback: Bool {
      if case .variant(_, let isFallback) = self { isFallback } else { self == .unknown }
    }
  }

  /// How long a generation may still be named after another one has taken its place.
  static let grace: Int64 = 60_000_000_000

  private(set) var changes: [(time: Int64, state: State)] = []

  /// The state now.
  var last: State { changes.last?.state ?? .unknown }

  /// Records a change.
  mutating func add(_ state: State, at time: Int64) { changes.append((time, state)) }

  /// The states at some time of `window`.
  func states(in window: ClosedRange<Int64>) -> [State] {
    var found: [State] = []
    for (place, change) in changes.enumerated() where change.time <= window.upperBound {
      let end = place + 1 < changes.count ? changes[place + 1].time : Int64.max
      if end >= window.lowerBound { found.append(change.state) }
    }
    return found
  }

  /// Whether `variant` was served in the time of grace before `window`, or in it.
  func wasServed(_ variant: Int, _ window: ClosedRange<Int64>) -> Bool {
    states(in: window, andBefore: Self.grace).contains { $0.mayBe(variant) }
  }

  /// The states at some time of `window`, or up to `time` and a second before.
  func states(in window: ClosedRange<Int64>, andBefore time: Int64) -> [State] {
    states(in: (window.lowerBound - time - 1_000_000_000)...window.upperBound)
  }
}
