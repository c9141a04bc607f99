import CSimulatedCalls
import CitiesProtocol
import CitiesServer
import FrameService
import Glibc
import Logging
import System

/// Runs the server in a simulated world.
enum Simulation {
  /// Runs one seed to its end; never returns if there is a finding.
  static func run(
    _ seed: UInt64, _ oracle: Oracle, _ outcome: UnsafeMutablePointer<simulated_outcome>,
    print: ((String) -> Void)?
  ) {
    var kernel: Kernel?
    kernel = Kernel(dice: Dice(seed: seed)) { problem in
      record(problem, kernel, outcome)
      _exit(0)
    }
    guard let kernel else { return }
    kernel.print = print
    let world = World(kernel, oracle)
    print?("themes \(world.themes.map { "\($0)" }.sorted())")
    kernel.install()
    world.prepare()
    serve(world)
    print?(
      "longest wait \(world.longestWait) %, longest turn \(world.longestTurn) %, longest lead "
        + "\(world.fairness.longestLead) %, work \(kernel.workCost)")
    // Work in progress with the sync service, or on a thread, ends with the process.
    let open = kernel.openObjects.filter { $0 is ListeningEnd || ($0 as? Socket)?.isOutgoing == false }
    if !open.isEmpty { kernel.fail("\(open.count) sockets are open after the end") }
    Kernel.uninstall()
    outcome.pointee.requests = UInt64(world.requests)
    record(nil, kernel, outcome)
  }

  private static func serve(_ world: World) {
    let kernel = world.kernel
    do {
      Signals.block()
      let socket = try ListeningSocket(binding: Places.socket, mode: 0o666)
      let log = Logger(label: "simulation") { _ in WorldLog(world: world) }
      let server = try QueryServer(world.configuration(), log)
      world.server = server
      world.start()
      try server.run(on: socket)
    } catch {
      kernel.fail("the server ends: \(error)")
    }
    kernel.note("end", 0)
  }

  private static func record(
    _ problem: String?, _ kernel: Kernel?, _ outcome: UnsafeMutablePointer<simulated_outcome>
  ) {
    outcome.pointee.calls = kernel?.calls ?? 0
    outcome.pointee.trace = kernel?.trace.value ?? 0
    guard let problem else { return }
    outcome.pointee.has_failed = 1
    withUnsafeMutableBytes(of: &outcome.pointee.message) { bytes in
      bytes.copyBytes(from: problem.utf8.prefix(bytes.count - 1))
    }
  }

  // MARK: The oracle

  /// Fills the oracle with what an undisturbed server answers, one request at a time.
  static func learn(_ oracle: inout Oracle) throws {
    for variant in 0..<Image.variants {
      let school = School(oracle, variant)
      try school.run()
      for place in oracle.templates.indices {
        oracle.answers[place][variant] = school.answers[place]
        oracle.costs[place].include(looks: school.costs[place].looks, bytes: school.costs[place].bytes)
      }
      if variant == 0 { (oracle.long, oracle.times) = (school.long, school.times) }
    }
  }
}

/// The log of the server, which the world reads.
struct WorldLog: LogHandler {
  nonisolated(unsafe) let world: World
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    if let print = world.kernel.print { print("log: \(event.message)") }
    world.log(event.message.description, event.metadata ?? [:])
  }
}

/// A world without faults, in which one client sends every template once.
final class School: SocketPeer {
  private let oracle: Oracle
  private let variant: Int
  private let kernel: Kernel
  private(set) var answers: [[UInt8]]
  private(set) var long: Set<Int> = []
  private(set) var times: [Int64] = []
  private(set) var costs: [(looks: Int64, bytes: Int64)] = []
  private var socket: Socket?
  private var listener: ListeningEnd?
  private var current = -1
  private var incoming: [UInt8] = []
  private var started: Int64 = 0
  private var looksBefore: Int64 = 0

  init(_ oracle: Oracle, _ variant: Int) {
    (self.oracle, self.variant) = (oracle, variant)
    kernel = Kernel(dice: Dice(seed: 0)) { problem in
      writeOnce("cities-simulation: the undisturbed server: \(problem)\n", to: STDERR_FILENO)
      _exit(2)
    }
    kernel.workCost = 5_000
    answers = Array(repeating: [], count: oracle.templates.count)
  }

  func run() throws {
    kernel.install()
    defer { Kernel.uninstall() }
    kernel.files.makeFolder(Places.state)
    for subject in Subject.simulated {
      guard let image = oracle.images[subject]?[variant] else { continue }
      kernel.files.publish(image.bytes, image, at: subject.paths[0])
    }
    kernel.now += 2_000_000_000
    let socket = try ListeningSocket(binding: Places.socket, mode: 0o666)
    let log = Logger(label: "school") { _ in SwiftLogNoOpLogHandler() }
    let server = try QueryServer(ServerConfiguration(stateFolder: Places.state), log)
    for case let end as ListeningEnd in kernel.openObjects { listener = end }
    kernel.after(3_000_000_000) { [unowned self] in next() }
    try server.run(on: socket)
  }

  /// Sends the next template on a new connection.
  private func next() {
    socket?.hangUp()
    current += 1
    incoming = []
    guard current < oracle.templates.count else { return kernel.raise(SIGTERM) }
    let socket = Socket(kernel, user: 1_000, capacity: 1 << 22)
    socket.peer = self
    self.socket = socket
    listener?.add(socket)
    kernel.after(5_000_000) { [unowned self] in
      (started, looksBefore) = (kernel.now, kernel.looks)
      socket.put(oracle.templates[current].request(256))
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    incoming.append(contentsOf: bytes)
    socket?.take(bytes.count)
    guard incoming.count >= 4, incoming.count >= 4 + incoming[..<4].reduce(0, { $0 << 8 | Int($1) }) else { return }
    answers[current] = incoming
    times.append(kernel.now - started)
    costs.append((kernel.looks - looksBefore, Int64(incoming.count)))
    if kernel.now - started > 100_000, oracle.templates[current].subject != nil { long.insert(current) }
    kernel.after(30_000_000_000) { [unowned self] in next() }
  }

  func madeRoom() {}
  func serverClosed() {}
  func serverStopsReading() {}
}
