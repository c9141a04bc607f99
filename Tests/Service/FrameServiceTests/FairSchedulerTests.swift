import Testing

@testable import FrameService

@Suite struct FairSchedulerTests {
  private typealias Scheduler = FairScheduler<String>

  /// Runs `count` turns, in which each item costs its user's `cost` and comes back, and returns each user's time.
  private func shares(
    _ scheduler: inout Scheduler, _ costs: [String: Int64], _ accounts: [String: Scheduler.Account], turns count: Int
  ) -> [String: Int64] {
    var used: [String: Int64] = [:]
    for _ in 0..<count {
      guard let turn = scheduler.next() else { break }
      let user = String(turn.item.prefix(1))
      scheduler.add(turn.item, to: turn.account)
      scheduler.finish(turn.account, time: costs[user] ?? 0)
      used[user, default: 0] += costs[user] ?? 0
      #expect(accounts[user] == turn.account)
    }
    return used
  }

  @Test(arguments: [1, 2, 16])
  func `users get equal time whatever their items cost and however many they have`(
    crowd: Int
  ) {
    var scheduler = Scheduler()
    let accounts = ["a": scheduler.open(1), "b": scheduler.open(2), "c": scheduler.open(3)]
    for item in 0..<crowd { scheduler.add("a\(item)", to: accounts["a"]!) }
    scheduler.add("b", to: accounts["b"]!)
    scheduler.add("c", to: accounts["c"]!)
    let costs: [String: Int64] = ["a": 16_000, "b": 1_000, "c": 100]
    let used = shares(&scheduler, costs, accounts, turns: 50_000)
    let least = used.values.min() ?? 0
    #expect(least > 1_000_000)
    // Users are never further apart than the most expensive item.
    #expect((used.values.max() ?? 0) - least <= 16_000)
  }

  @Test func `the items of one user take turns`() {
    var scheduler = Scheduler()
    let account = scheduler.open(1)
    for item in 0..<5 { scheduler.add("\(item)", to: account) }
    var order: [String] = []
    for _ in 0..<15 {
      guard let turn = scheduler.next() else { break }
      order.append(turn.item)
      scheduler.add(turn.item, to: turn.account)
      scheduler.finish(turn.account, time: 10)
    }
    #expect(order.joined() == "012340123401234")
  }

  @Test func `a user who comes back waits for one item of others at most, and banks nothing`() {
    var scheduler = Scheduler()
    let (heavy, light) = (scheduler.open(1), scheduler.open(2))
    scheduler.add("heavy", to: heavy)
    scheduler.add("light", to: light)
    // Both run once; then the light one pauses while the heavy one uses a thousand times more.
    for _ in 0..<2 { if let turn = scheduler.next() { scheduler.finish(turn.account, time: 10) } }
    scheduler.add("heavy", to: heavy)
    for _ in 0..<1_000 {
      guard let turn = scheduler.next() else { break }
      #expect(turn.item == "heavy")
      scheduler.add("heavy", to: heavy)
      scheduler.finish(turn.account, time: 10)
    }
    for item in 0..<100 { scheduler.add("light\(item)", to: light) }
    var order: [Bool] = []
    for _ in 0..<40 {
      guard let turn = scheduler.next() else { break }
      order.append(turn.account == light)
      if turn.account == heavy { scheduler.add("heavy", to: heavy) }
      scheduler.finish(turn.account, time: 10)
    }
    #expect(order.prefix(2).contains(true))
    // From then on they alternate: a thousand unused turns entitle to none.
    #expect(abs(order.count { $0 } - 20) <= 1)
  }

  @Test func `a newcomer is served before users that wait already have used more`() {
    var scheduler = Scheduler()
    let crowd = scheduler.open(1)
    for item in 0..<100 { scheduler.add("\(item)", to: crowd) }
    for _ in 0..<3 { if let turn = scheduler.next() { scheduler.finish(turn.account, time: 500) } }
    let newcomer = scheduler.open(2)
    scheduler.add("new", to: newcomer)
    #expect(scheduler.next()?.item == "new")
  }

  @Test func `what a user has used is remembered when its account closes`() {
    var scheduler = Scheduler()
    let (other, greedy) = (scheduler.open(2), scheduler.open(1))
    scheduler.add("greedy", to: greedy)
    scheduler.add("other", to: other)
    if let turn = scheduler.next() { scheduler.finish(turn.account, time: 16_000) }
    scheduler.close(greedy)
    let again = scheduler.open(1)
    scheduler.add("greedy", to: again)
    var order: [String] = []
    for _ in 0..<10 {
      guard let turn = scheduler.next() else { break }
      order.append(turn.item)
      scheduler.add(turn.item, to: turn.account)
      scheduler.finish(turn.account, time: 1_000)
    }
    #expect(order == Array(repeating: "other", count: 10))
  }

  @Test func `charges beside the items count like them`() {
    var scheduler = Scheduler()
    let (one, two) = (scheduler.open(1), scheduler.open(2))
    scheduler.add("one", to: one)
    scheduler.add("two", to: two)
    scheduler.charge(one, time: 1)
    #expect(scheduler.next()?.item == "two")
  }

  // MARK: Kinds

  /// Runs the next item, which costs `time` and comes back as `kind`, unless that is `nil`.
  private func run(_ scheduler: inout Scheduler, time: Int64 = 1, again kind: Scheduler.Kind? = nil) -> String? {
    guard let turn = scheduler.next() else { return nil }
    if let kind { scheduler.add(turn.item, to: turn.account, as: kind) }
    scheduler.finish(turn.account, time: time)
    return turn.item
  }

  @Test func `a user with too many started items starts no long one until one is done`() {
    var scheduler = Scheduler(maximumStarted: 2)
    let account = scheduler.open(1)
    for item in 0..<3 { scheduler.add("long\(item)", to: account, as: .long) }
    for item in 0..<2 { scheduler.add("started\(item)", to: account, as: .started) }
    #expect(!scheduler.mayStart(account))
    let order = (0..<4).map { _ in run(&scheduler, again: .started) }
    #expect(order == ["started0", "started1", "started0", "started1"])
    #expect(run(&scheduler) == "started0")
    #expect(scheduler.mayStart(account))
    // Below the limit long items alternate with the others.
    #expect(run(&scheduler, again: .started) == "long0")
    #expect(!scheduler.mayStart(account))
    #expect((0..<2).map { _ in run(&scheduler) } == ["started1", "long1"])
    #expect((0..<2).map { _ in run(&scheduler) } == ["long0", "long2"])
    #expect(scheduler.isEmpty && scheduler.next() == nil)
  }

  @Test func `a continued item needs no place among the started ones`() {
    var scheduler = Scheduler(maximumStarted: 1)
    let account = scheduler.open(1)
    scheduler.add("started", to: account, as: .started)
    scheduler.add("long", to: account, as: .long)
    scheduler.add("many", to: account, as: .continued)
    #expect(run(&scheduler, again: .started) == "started")
    #expect(run(&scheduler, again: .continued) == "many")
    #expect(run(&scheduler) == "started")
    #expect((0..<3).map { _ in run(&scheduler) } == ["long", "many", nil])
  }

  @Test(arguments: [1, 8, 100], [FairScheduler<String>.Kind.started, .continued, .long])
  func `a short item comes next however many long ones its user has`(crowd: Int, kind: FairScheduler<String>.Kind) {
    let (turn, short) = (Int64(250_000), Int64(10_000))
    var scheduler = Scheduler(maximumStarted: 8, credit: turn)
    let account = scheduler.open(1)
    for item in 0..<crowd { scheduler.add("crowd\(item)", to: account, as: kind) }
    var random = SeededRandom(seed: 5)
    var (waited, longest, served) = (0, 0, 0)
    var isWaiting = false
    for _ in 0..<20_000 {
      guard let next = scheduler.next() else { break }
      if next.item == "short" {
        (isWaiting, longest, served) = (false, max(longest, waited), served + 1)
        scheduler.finish(next.account, time: short)
      } else {
        scheduler.add(next.item, to: next.account, as: kind)
        // It comes while a long turn is in progress.
        if isWaiting {
          waited += 1
        } else if random.below(2) == 0 {
          (isWaiting, waited) = (true, 0)
          scheduler.add("short", to: account)
        }
        scheduler.finish(next.account, time: turn)
      }
    }
    #expect(served > 1_000)
    // It waits for the turn in which it came, and for none after that.
    #expect(longest == 0)
  }

  @Test func `a fresh item that proves to be long is charged with the others`() {
    var scheduler = Scheduler(credit: 250)
    let account = scheduler.open(1)
    scheduler.add("flood", to: account)
    // One request after the other, each of a turn and a part of one.
    for _ in 0..<10 {
      #expect(run(&scheduler, time: 250, again: .started) == "flood")
      scheduler.add("short", to: account)
      #expect(run(&scheduler, time: 10) == "short")
      #expect(run(&scheduler, time: 100, again: .fresh) == "flood")
    }
  }

  @Test(arguments: [10_000, 250_000, 1_000_000] as [Int64])
  func `fresh items and others of a user get about equal time`(fresh: Int64) {
    let turn = Int64(250_000)
    var scheduler = Scheduler(credit: turn)
    let account = scheduler.open(1)
    for item in 0..<3 { scheduler.add("fresh\(item)", to: account) }
    for item in 0..<3 { scheduler.add("started\(item)", to: account, as: .started) }
    var used = (fresh: Int64(0), others: Int64(0))
    for _ in 0..<10_000 {
      guard let next = scheduler.next() else { break }
      let isFresh = next.item.hasPrefix("fresh")
      if isFresh { used.fresh += fresh } else { used.others += turn }
      scheduler.add(next.item, to: account, as: isFresh ? .fresh : .started)
      scheduler.finish(account, time: isFresh ? fresh : turn)
    }
    let share = Double(used.others) / Double(used.fresh + used.others)
    // Beyond the credit, the length of a fresh item is its own affair: others do not wait for it to be made up.
    #expect(fresh <= turn ? (0.45...0.55).contains(share) : share > 0.15)
  }

  // MARK: Rest

  @Test func `a resting item waits for those of all users, its own included, and for those that come meanwhile`() {
    var scheduler = Scheduler(credit: 250)
    let (costly, other) = (scheduler.open(1), scheduler.open(2))
    scheduler.add("rest", to: costly, as: .resting)
    for kind in [Scheduler.Kind.fresh, .continued, .started, .long] {
      scheduler.add("own \(kind)", to: costly, as: kind)
      scheduler.add("other \(kind)", to: other, as: kind)
    }
    let order = (0..<8).compactMap { _ in run(&scheduler, time: 250) }
    #expect(order.count == 8 && !order.contains("rest"))
    let turn = scheduler.next()
    #expect(turn?.item == "rest")
    scheduler.add("late", to: other)
    scheduler.add("rest", to: costly, as: .resting)
    scheduler.finish(costly, time: 250)
    #expect((0..<3).map { _ in run(&scheduler, time: 250) } == ["late", "rest", nil])
  }

  @Test(arguments: [1, 7]) func `resting items get a hundredth of another user's time while others want all`(
    crowd: Int
  ) {
    var scheduler = Scheduler(credit: 250)
    scheduler.add("rest", to: scheduler.open(0), as: .resting)
    for user in 1...crowd { scheduler.add("other", to: scheduler.open(UInt32(user))) }
    var (waited, longest, turns) = (0, 0, 0)
    for _ in 0..<10_000 * crowd {
      guard let turn = scheduler.next() else { break }
      let rests = turn.item == "rest"
      waited = rests ? 0 : waited + 1
      longest = max(longest, waited)
      turns += rests ? 1 : 0
      scheduler.add(turn.item, to: turn.account, as: rests ? .resting : .fresh)
      scheduler.finish(turn.account, time: 250)
    }
    #expect((95...105).contains(turns))
    #expect((99 * crowd...102 * crowd).contains(longest))
  }

  @Test func `users share what others leave to their resting items`() {
    var scheduler = Scheduler(credit: 250)
    let accounts = (0..<3).map { scheduler.open(UInt32($0)) }
    for _ in 0..<8 { scheduler.add("0", to: accounts[0], as: .resting) }
    scheduler.add("1", to: accounts[1], as: .resting)
    var turns: [String: Int] = [:]
    for number in 0..<4_000 {
      // It comes late, and gets no more for that.
      if number == 1_000 { scheduler.add("2", to: accounts[2], as: .resting) }
      guard let turn = scheduler.next() else { break }
      if number >= 1_000 { turns[turn.item, default: 0] += 1 }
      scheduler.add(turn.item, to: turn.account, as: .resting)
      scheduler.finish(turn.account, time: 250)
    }
    for item in ["0", "1", "2"] { #expect((990...1_010).contains(turns[item] ?? 0), "\(turns)") }
  }

  @Test func `resting items keep their places, and go on while long ones wait for a place`() {
    var scheduler = Scheduler(maximumStarted: 2, credit: 250)
    let (costly, other) = (scheduler.open(1), scheduler.open(2))
    for item in 0..<2 { scheduler.add("rest\(item)", to: costly, as: .resting) }
    for item in 0..<2 { scheduler.add("long\(item)", to: costly, as: .long) }
    #expect(!scheduler.mayStart(costly))
    scheduler.add("other", to: other)
    #expect(run(&scheduler, time: 250) == "other")
    #expect(run(&scheduler, time: 250, again: .resting) == "rest0")
    #expect(run(&scheduler, time: 250) == "rest1")
    // There is a place now, and the long ones come before the other resting one.
    #expect(scheduler.mayStart(costly))
    #expect((0..<4).map { _ in run(&scheduler, time: 250) } == ["long0", "long1", "rest0", nil])
  }

  @Test func `a user with long ones that wait for a resting one's place waits for other users`() {
    var scheduler = Scheduler(maximumStarted: 1, credit: 250)
    let (costly, other) = (scheduler.open(1), scheduler.open(2))
    scheduler.add("rest", to: costly, as: .resting)
    scheduler.add("long", to: costly, as: .long)
    scheduler.add("other", to: other)
    let order = (0..<90).compactMap { _ in run(&scheduler, time: 250, again: .fresh) }
    #expect(order == Array(repeating: "other", count: 90))
    scheduler.add("short", to: costly)
    #expect((0..<2).compactMap { _ in run(&scheduler, time: 250, again: .continued) }.contains("short"))
  }

  @Test func `a user does not pay later for the idle time that its resting item has used`() {
    var scheduler = Scheduler(credit: 250)
    let (costly, other) = (scheduler.open(1), scheduler.open(2))
    scheduler.add("rest", to: costly, as: .resting)
    for _ in 0..<10_000 { #expect(run(&scheduler, time: 250, again: .resting) == "rest") }
    for item in 0..<4 {
      scheduler.add("own\(item)", to: costly)
      scheduler.add("other\(item)", to: other)
    }
    let order = (0..<9).compactMap { _ in run(&scheduler, time: 250) }
    #expect(order.last == "rest")
    // They alternate, after one turn at most that the other user has used less.
    for count in 1...8 {
      let own = order.prefix(count).count { $0.hasPrefix("own") }
      #expect(abs(2 * own - count) <= 2, "\(order)")
    }
  }

  @Test func `an account is not forgotten while an item of it rests`() {
    var scheduler = Scheduler()
    let costly = scheduler.open(1)
    scheduler.add("rest", to: costly, as: .resting)
    scheduler.close(costly)
    scheduler.add("other", to: scheduler.open(2))
    #expect((0..<3).map { _ in run(&scheduler) } == ["other", "rest", nil])
  }

  @Test func `nobody starves among many users with seeded costs`() {
    var random = SeededRandom(seed: 7)
    var scheduler = FairScheduler<Int>()
    let accounts = (0..<50).map { scheduler.open(UInt32($0)) }
    var used = [Int64](repeating: 0, count: 50)
    for user in 0..<50 { scheduler.add(user, to: accounts[user]) }
    for _ in 0..<50_000 {
      guard let turn = scheduler.next() else { break }
      let cost = Int64(random.below(turn.item % 7 == 0 ? 16_000 : 200))
      used[turn.item] += cost
      scheduler.add(turn.item, to: turn.account)
      scheduler.finish(turn.account, time: cost)
    }
    #expect((used.max() ?? 0) - (used.min() ?? 0) <= 2 * 16_000)
  }

  @Test func `accounts of users that come and go are forgotten, those of open ones are not`() {
    var scheduler = FairScheduler<Int>()
    let kept = scheduler.open(.max)
    for user in 0..<100_000 {
      let account = scheduler.open(UInt32(user))
      if user % 2 == 0 {
        scheduler.add(user, to: account)
        scheduler.close(account)
        if let turn = scheduler.next() { scheduler.finish(turn.account, time: 1_000_000) }
      } else {
        scheduler.close(account)
      }
    }
    #expect(scheduler.slots.count <= FairScheduler<Int>.maximumRemembered + 1)
    scheduler.add(-1, to: kept)
    #expect(scheduler.next()?.item == -1)
  }

  @Test func `a queue gives its items back in order through growth and reuse`() {
    var queue = ItemQueue<Int>()
    var (added, taken) = (0, 0)
    var random = SeededRandom(seed: 3)
    for _ in 0..<10_000 {
      if random.below(100) < 51 {
        queue.append(added)
        added += 1
      } else if let item = queue.removeFirst() {
        #expect(item == taken)
        taken += 1
      }
      #expect(queue.count == added - taken && queue.isEmpty == (added == taken))
    }
    while let item = queue.removeFirst() {
      #expect(item == taken)
      taken += 1
    }
    #expect(taken == added)
  }
}
