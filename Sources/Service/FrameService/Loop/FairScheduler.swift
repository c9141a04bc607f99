/// Chooses whose work runs next: that of the user who has used the least time.
///
/// It is a value without clock or socket: work is added to its user's account, ``next()`` returns the item to run, and
/// ``finish(_:time:)`` charges the time that it took.
///
/// ```swift
/// var scheduler = FairScheduler<Task>()
/// let account = scheduler.open(uid)
/// scheduler.add(task, to: account)
/// while let turn = scheduler.next() {
///   let start = now()
///   turn.item.run()
///   scheduler.finish(turn.account, time: now() - start)
/// }
/// ```
///
/// The rule is start-time fair queuing (Goyal, Vin and Cheng, SIGCOMM 1996) over users. The scheduler's own time is the
/// time used by the user chosen last. A user that returns after a pause continues from that time at the earliest:
/// unused time earns no credit, so an hour's pause entitles to the next turn and no more. A user that has used too much
/// waits until the others have caught up, even if all its connections close meanwhile.
///
/// The items of one user take turns, according to their ``Kind``. Fresh ones come before the others unless they have
/// used more time: so a short request waits for little more than the current item, and no kind starves. Started items
/// hold memory, so a user has at most ``maximumStarted`` of them. At that limit, a long item waits until one of them is
/// finished, and a fresh one that proves to be long must be postponed: see ``mayStart(_:)``.
///
/// Resting items come after all others of every user. They do not starve: a user that has nothing else to run gets a
/// turn for each ``turnsOfOthers`` turns of another user.
struct FairScheduler<Item> {
  /// The priority of an item among those of its user.
  enum Kind {
    /// It may be short.
    case fresh
    /// It has used a whole turn for many requests, and has more.
    case continued
    /// It is in the middle of a request, which holds memory.
    case started
    /// It is in the middle of a request that has used so much time that it waits for all others.
    case resting
    /// Its next request is long, or probably as long as the one before it.
    case long
  }

  /// Identifies a user's account while it is open.
  struct Account: Equatable {
    fileprivate let slot: Int
  }

  /// An item to run, and the account to charge for it.
  struct Turn {
    /// The item, which is removed from the scheduler.
    let item: Item
    let account: Account
  }

  private enum State { case forgotten, idle, queued, running }

  private struct User {
    let id: UInt32
    /// The time used, in nanoseconds, comparable between users.
    var used: Int64
    var state = State.idle
    /// The number of times that the account was opened and not closed.
    var holders = 0
    var fresh = ItemQueue<Item>()
    /// Continued and started items.
    var others = ItemQueue<(item: Item, isStarted: Bool)>()
    var long = ItemQueue<Item>()
    var resting = ItemQueue<Item>()
    /// The number of started items, with those that rest.
    var startedCount = 0
    /// The kind to which the time of the last item is charged.
    var lastKind = Kind.fresh
    /// Whether the last item that was not fresh was long.
    var wasLong = false
    /// The time used by fresh items beyond the others, in nanoseconds, limited to ± `credit`.
    var lead: Int64 = 0

    var hasOthers: Bool { !others.isEmpty || !long.isEmpty }
    var isEmpty: Bool { fresh.isEmpty && !hasOthers && resting.isEmpty }
  }

  /// The number of started items of one user from which no long item starts.
  let maximumStarted: Int
  /// The time that fresh items of a user may use beyond the others before these get a turn, and vice versa.
  let credit: Int64
  /// The number of accounts from which closed ones are forgotten although their users have used more than others.
  static var maximumRemembered: Int { 1_024 }
  /// The turns of each other user between two turns of a user whose items all rest.
  static var turnsOfOthers: Int64 { 100 }

  private var users: [User] = []
  private var freeSlots: [Int] = []
  /// The slots of the accounts, open or remembered.
  private(set) var slots: [UInt32: Int] = [:]
  /// Users with items, by used time.
  private var queue = SlotHeap()
  /// The scheduler's time: that of the user chosen last; no queued user is below it.
  private var time: Int64 = 0

  /// Creates a scheduler without users; `credit` is about the time of a turn, in nanoseconds.
  init(maximumStarted: Int = 8, credit: Int64 = ServiceLimits.usualTurn) {
    self.maximumStarted = maximumStarted
    self.credit = credit
  }

  /// Whether no item is waiting.
  var isEmpty: Bool { queue.isEmpty }

  // MARK: Accounts

  /// Opens the account of `user`; each call must be matched by a ``close(_:)``.
  ///
  /// - Complexity: O(1), amortized.
  mutating func open(_ user: UInt32) -> Account {
    let slot = slots[user] ?? insert(User(id: user, used: time))
    users[slot].holders += 1
    return Account(slot: slot)
  }

  /// Closes an account.
  ///
  /// Time used beyond others is remembered; waiting items still get their turn.
  mutating func close(_ account: Account) {
    users[account.slot].holders -= 1
    if users[account.slot].used <= time { forgetIfUnused(account.slot) }
  }

  private mutating func insert(_ user: User) -> Int {
    if slots.count >= Self.maximumRemembered { forgetRemembered() }
    let slot = freeSlots.popLast() ?? users.count
    if slot == users.count { users.append(user) } else { users[slot] = user }
    slots[user.id] = slot
    return slot
  }

  private mutating func forgetIfUnused(_ slot: Int) {
    guard users[slot].holders == 0, users[slot].state == .idle else { return }
    slots[users[slot].id] = nil
    users[slot] = User(id: 0, used: 0, state: .forgotten)
    freeSlots.append(slot)
  }

  /// Makes room: forgets remembered accounts that no longer matter, and all of them if that is not enough.
  private mutating func forgetRemembered() {
    for slot in users.indices where users[slot].used <= time { forgetIfUnused(slot) }
    guard slots.count > Self.maximumRemembered / 2 else { return }
    for slot in users.indices { forgetIfUnused(slot) }
  }

  // MARK: Items

  /// Adds an item after those of the same user and kind.
  ///
  /// - Complexity: O(log *n*) in the users with items; O(1) if its user has other items that do not rest.
  mutating func add(_ item: Item, to account: Account, as kind: Kind = .fresh) {
    let slot = account.slot
    let rested = nextKind(of: slot) == .resting
    switch kind {
    case .fresh: users[slot].fresh.append(item)
    case .long: users[slot].long.append(item)
    case .continued: users[slot].others.append((item, isStarted: false))
    case .started, .resting:
      if kind == .started { users[slot].others.append((item, true)) } else { users[slot].resting.append(item) }
      users[slot].startedCount += 1
      // A fresh item that proves to be long is charged to the others: short ones need not make up for it.
      if users[slot].state == .running { users[slot].lastKind = .started }
    }
    if rested, users[slot].state != .running { enqueue(slot) }
  }

  /// Whether the user of the current item may have another started one.
  ///
  /// If not, the item drops its started work and is added as a long one.
  func mayStart(_ account: Account) -> Bool { users[account.slot].startedCount < maximumStarted }

  /// Removes the next item of the user that has used the least time; of users with equal times, the one that has waited
  /// longest.
  ///
  /// ``finish(_:time:)`` must follow before the next call.
  ///
  /// - Complexity: O(log *n*) in the users with items.
  mutating func next() -> Turn? {
    guard let (slot, _) = queue.removeFirst() else { return nil }
    time = max(time, users[slot].used)
    users[slot].state = .running
    guard let item = takeItem(of: slot) else { return nil }
    return Turn(item: item, account: Account(slot: slot))
  }

  private mutating func takeItem(of slot: Int) -> Item? {
    users[slot].lastKind = nextKind(of: slot)
    switch users[slot].lastKind {
    case .fresh: return users[slot].fresh.removeFirst()
    case .long:
      users[slot].wasLong = true
      return users[slot].long.removeFirst()
    case .resting:
      users[slot].startedCount -= 1
      return users[slot].resting.removeFirst()
    case .continued, .started:
      users[slot].wasLong = false
      guard let (item, isStarted) = users[slot].others.removeFirst() else { return nil }
      if isStarted { users[slot].startedCount -= 1 }
      return item
    }
  }

  /// The kind of the next item; `.continued` also stands for started ones, `.resting` also for none.
  private func nextKind(of slot: Int) -> Kind {
    let mayStart = users[slot].startedCount < maximumStarted && !users[slot].long.isEmpty
    let hasOthers = mayStart || !users[slot].others.isEmpty
    if !users[slot].fresh.isEmpty, users[slot].lead <= 0 || !hasOthers { return .fresh }
    if users[slot].others.isEmpty { return mayStart ? .long : .resting }
    return mayStart && !users[slot].wasLong ? .long : .continued
  }

  /// Charges the user of the item that has run.
  ///
  /// - Complexity: O(log *n*) in the users with items.
  mutating func finish(_ account: Account, time taken: Int64) {
    let slot = account.slot
    let time = max(0, taken)
    users[slot].used &+= time
    users[slot].state = .idle
    let change = min(time, 2 * credit)
    let lead = users[slot].lead + (users[slot].lastKind == .fresh ? change : -change)
    // Time without competition does not count.
    users[slot].lead = users[slot].hasOthers ? max(-credit, min(lead, credit)) : 0
    if !users[slot].isEmpty { enqueue(slot) }
  }

  /// Charges a user for work outside of its items.
  ///
  /// - Complexity: O(log *n*) in the users with items.
  mutating func charge(_ account: Account, time taken: Int64) {
    let slot = account.slot
    users[slot].used = max(users[slot].used, time) &+ max(0, taken)
    if users[slot].state == .queued { enqueue(slot) }
  }

  private mutating func enqueue(_ slot: Int) {
    let used = max(users[slot].used, time)
    users[slot].used = used
    users[slot].state = .queued
    queue.remove(slot)
    let delay = nextKind(of: slot) == .resting ? Self.turnsOfOthers * credit : 0
    queue.insert(slot, used &+ delay)
  }
}

/// A first-in, first-out queue in a ring buffer.
struct ItemQueue<Item> {
  private var ring: [Item?] = []
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Adds an item at the end.
  ///
  /// - Complexity: O(1), amortized; it allocates only for more items than ever before.
  mutating func append(_ item: Item) {
    if count == ring.count { grow() }
    // The size of the ring is a power of two.
    ring[(head + count) & (ring.count - 1)] = item
    count += 1
  }

  /// Removes the first item; `nil` if there is none.
  ///
  /// - Complexity: O(1).
  mutating func removeFirst() -> Item? {
    guard count > 0 else { return nil }
    let item = ring[head]
    ring[head] = nil
    head = (head + 1) & (ring.count - 1)
    count -= 1
    return item
  }

  private mutating func grow() {
    let size = max(4, ring.count * 2)
    var larger: [Item?] = []
    larger.reserveCapacity(size)
    for place in 0..<count { larger.append(ring[(head + place) & (ring.count - 1)]) }
    larger.append(contentsOf: repeatElement(nil, count: size - count))
    (ring, head) = (larger, 0)
  }
}
