/// Decides which user's work runs next: the user's that has used the least time.
///
/// It is a value without clock or socket: work is added under its user's account, ``next()`` names the item to run, and
/// ``finish(_:time:)`` charges what running it has taken.
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
/// time used by the user that was chosen last. A user that comes back after a pause continues from there at the
/// earliest: unused time earns no credit, so a pause of an hour entitles to the next turn and to nothing more. A user
/// that has used too much waits until the others have caught up, also if all its connections close meanwhile.
///
/// The items of one user take turns, by their ``Kind``. Fresh ones come before the others unless they have used more
/// time than these: then a short request waits for little more than the item that is running, and no kind starves.
/// Started items hold memory, so a user has at most ``maximumStarted`` of them. At that number, a long item waits until
/// one of them is done, and a fresh one that proves to be long has to be put back: see ``mayStart(_:)``.
struct FairScheduler<Item> {
  /// How an item stands to the others of its user.
  enum Kind {
    /// It may be short.
    case fresh
    /// It has used a whole turn for many requests, and has more of them.
    case continued
    /// It is in the middle of a request, which holds memory.
    case started
    /// Its next request is long, or as likely to be long as the one before it.
    case long
  }

  /// Names a user's account for as long as it is open.
  struct Account: Equatable {
    fileprivate let slot: Int
  }

  /// An item to run, and the account to charge for it.
  struct Turn {
    /// The item, which is no longer in the scheduler.
    let item: Item
    /// Its user's account.
    let account: Account
  }

  private enum State { case forgotten, idle, queued, running }

  private struct User {
    let id: UInt32
    /// Time used, in nanoseconds, comparable between users.
    var used: Int64
    var state = State.idle
    /// How often the account was opened and not closed.
    var holders = 0
    var fresh = ItemQueue<Item>()
    /// Continued items, and started ones.
    var others = ItemQueue<(item: Item, isStarted: Bool)>()
    var long = ItemQueue<Item>()
    /// Started items in `others`.
    var startedCount = 0
    /// The kind that the time of the item taken last is charged to.
    var lastKind = Kind.fresh
    /// Whether the one taken last that was not fresh was long.
    var wasLong = false
    /// Time that fresh items have used beyond the others, in nanoseconds, within the credit of both.
    var lead: Int64 = 0

    var hasOthers: Bool { !others.isEmpty || !long.isEmpty }
    var isEmpty: Bool { fresh.isEmpty && !hasOthers }
  }

  /// Started items of one user beyond which no long one starts.
  let maximumStarted: Int
  /// Time that fresh items of a user may use beyond the others before these get a turn, and the other way round.
  let credit: Int64
  /// Accounts from which on closed ones are forgotten although their users have used more than others.
  static var maximumRemembered: Int { 1_024 }

  private var users: [User] = []
  private var freeSlots: [Int] = []
  private var slots: [UInt32: Int] = [:]
  /// Users with items, by the time that they have used.
  private var queue = SlotHeap()
  /// The scheduler's time: that of the user chosen last, which no queued user is below.
  private var time: Int64 = 0

  /// Makes a scheduler without users; `credit` is about the time of a turn, in nanoseconds.
  init(maximumStarted: Int = 8, credit: Int64 = ServiceLimits.usualTurn) {
    self.maximumStarted = maximumStarted
    self.credit = credit
  }

  /// Whether no item waits.
  var isEmpty: Bool { queue.isEmpty }
  /// Accounts that are kept, open or remembered.
  var accountCount: Int { slots.count }

  // MARK: Accounts

  /// Opens the account of `user`; to be closed as often as it is opened.
  ///
  /// - Complexity: O(1), amortized.
  mutating func open(_ user: UInt32) -> Account {
    let slot = slots[user] ?? insert(User(id: user, used: time))
    users[slot].holders += 1
    return Account(slot: slot)
  }

  /// Closes an account.
  ///
  /// What the user has used beyond others is remembered; items that wait still get their turn.
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

  /// Makes room: remembered accounts that no longer matter go, and all of them if that is not enough.
  private mutating func forgetRemembered() {
    for slot in users.indices where users[slot].used <= time { forgetIfUnused(slot) }
    guard slots.count > Self.maximumRemembered / 2 else { return }
    for slot in users.indices { forgetIfUnused(slot) }
  }

  // MARK: Items

  /// Adds an item after those of its user that are of the same kind.
  ///
  /// - Complexity: O(log *n*) in the users with items; O(1) if its user has others.
  mutating func add(_ item: Item, to account: Account, as kind: Kind = .fresh) {
    let slot = account.slot
    switch kind {
    case .fresh: users[slot].fresh.append(item)
    case .long: users[slot].long.append(item)
    case .continued: users[slot].others.append((item, isStarted: false))
    case .started:
      users[slot].others.append((item, isStarted: true))
      users[slot].startedCount += 1
      // A fresh item that proves to be long is charged with the others: short ones do not have to make up for it.
      if users[slot].state == .running { users[slot].lastKind = .started }
    }
    if users[slot].state == .idle { enqueue(slot) }
  }

  /// Whether the user whose item is running may have one more that is started.
  ///
  /// If not, the item drops what it has started and is added as a long one.
  func mayStart(_ account: Account) -> Bool { users[account.slot].startedCount < maximumStarted }

  /// Takes the next item of the user that has used the least time; of users with equal times, of the one that has
  /// waited longest.
  ///
  /// ``finish(_:time:)`` must follow before the next call.
  ///
  /// - Complexity: O(log *n*) in the users with items.
  mutating func next() -> Turn? {
    guard let (slot, used) = queue.removeFirst() else { return nil }
    time = max(time, used)
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
    case .continued, .started:
      users[slot].wasLong = false
      guard let (item, isStarted) = users[slot].others.removeFirst() else { return nil }
      if isStarted { users[slot].startedCount -= 1 }
      return item
    }
  }

  /// The kind of the next item; `.continued` stands for started ones, too.
  private func nextKind(of slot: Int) -> Kind {
    if !users[slot].fresh.isEmpty, users[slot].lead <= 0 || !users[slot].hasOthers { return .fresh }
    if users[slot].others.isEmpty { return .long }
    let mayStart = users[slot].startedCount < maximumStarted && !users[slot].long.isEmpty
    return mayStart && !users[slot].wasLong ? .long : .continued
  }

  /// Charges the user whose item has run.
  ///
  /// - Complexity: O(log *n*) in the users with items.
  mutating func finish(_ account: Account, time taken: Int64) {
    let slot = account.slot
    let time = max(0, taken)
    users[slot].used &+= time
    users[slot].state = .idle
    let change = min(time, 2 * credit)
    let lead = users[slot].lead + (users[slot].lastKind == .fresh ? change : -change)
    // Time without a competitor is nobody's lead.
    users[slot].lead = users[slot].hasOthers ? max(-credit, min(lead, credit)) : 0
    if !users[slot].isEmpty { enqueue(slot) }
  }

  /// Charges a user for what was done for it beside its items.
  ///
  /// - Complexity: O(log *n*) in the users with items.
  mutating func charge(_ account: Account, time taken: Int64) {
    let slot = account.slot
    users[slot].used = max(users[slot].used, time) &+ max(0, taken)
    guard users[slot].state == .queued else { return }
    queue.remove(slot)
    enqueue(slot)
  }

  private mutating func enqueue(_ slot: Int) {
    let used = max(users[slot].used, time)
    users[slot].used = used
    users[slot].state = .queued
    queue.insert(slot, used)
  }
}

/// Items, first in, first out, in a ring of memory that is used again.
struct ItemQueue<Item> {
  private var ring: [Item?] = []
  private var head = 0
  private(set) var count = 0

  /// Whether it has none.
  var isEmpty: Bool { count == 0 }

  /// Adds an item at the end.
  ///
  /// - Complexity: O(1), amortized; a number of items that was reached before takes no memory.
  mutating func append(_ item: Item) {
    if count == ring.count { grow() }
    // The size of the ring is a power of two.
    ring[(head + count) & (ring.count - 1)] = item
    count += 1
  }

  /// Takes the first item; nil if there is none.
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
