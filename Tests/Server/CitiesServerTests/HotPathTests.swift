import CBOR
import CitiesProtocol
import Glibc
import TestSupport
import Testing

/// What a request costs, counted: these numbers repeat, times do not.
///
/// The program runs with a small library, loaded before the C library, that counts calls in a mapped file. It is
/// compiled with the toolchain's own clang; without one the suite says so and is skipped.
@Suite(.enabled(if: CallCounter.library != nil && ServerProcess.program != nil, "no clang, or citiesd was not built"))
struct HotPathTests {
  private static let searches = ["", "a", "al", "alb", "albu", "s", "sã", "washington,", "zzz", "Łó"].map {
    CitySearch(prefix: $0, limit: 20)
  }

  /// A server that has done all it does once.
  private func started(_ counter: CallCounter, _ program: String? = ServerProcess.program) throws -> ServerProcess {
    let process = try ServerProcess(environment: counter.environment, program: program)
    #expect(eventually { process.log.contains("no sync service") })
    return process
  }

  /// Sends `count` requests, `together` at a time, and reads the answers.
  private func ask(_ client: RawClient, _ count: Int, together: Int = 1) throws {
    let frames = try Self.searches.enumerated().map { number, search in
      RawClient.framed(try CBOREncoder().encode(RequestEnvelope(id: UInt64(number + 1), search)))
    }
    for start in stride(from: 0, to: count, by: together) {
      try client.send((start..<start + together).flatMap { frames[$0 % frames.count] })
      for _ in 0..<together { _ = try client.receiveFrame() }
    }
  }

  /// Calls per 100 requests, in 20 rounds.
  ///
  /// On a busy machine a turn may end between two requests that came together, and a timer of the server's may end in
  /// any round; a request that costs more does so in every round.
  private func rounds(_ client: RawClient, _ counter: CallCounter, together: Int) throws -> [CallCounter.Counts] {
    try ask(client, 200, together: together)
    return try (0..<20).map { _ in
      let before = counter.counts
      try ask(client, 100, together: together)
      return counter.counts - before
    }
  }

  @Test func `a request takes three system calls`() throws {
    let counter = try CallCounter()
    let process = try started(counter)
    let rounds = try rounds(process.client(), counter, together: 1)
    #expect(
      rounds.contains {
        // The wait that follows the last answer may or may not have begun.
        $0.reads == 100 && $0.writes == 100 && (99...101).contains($0.waits) && $0.others == 0
      }, "\(rounds)")
  }

  /// In unoptimized code, a turn may end before the last of ten requests is answered.
  @Test(.enabled(if: ServerProcess.optimizedProgram != nil, "contrib/build has made no citiesd from these sources"))
  func `requests sent together share their system calls`() throws {
    let counter = try CallCounter()
    let process = try started(counter, ServerProcess.optimizedProgram)
    let rounds = try rounds(process.client(), counter, together: 10)
    #expect(rounds.contains { $0.reads == 10 && $0.writes == 10 && $0.others == 0 }, "\(rounds)")
  }

  /// Unoptimized code allocates what the optimizer keeps on the stack, so this needs what `contrib/build` makes.
  @Test(.enabled(if: ServerProcess.optimizedProgram != nil, "contrib/build has made no citiesd from these sources"))
  func `a request takes no allocation, alone, with others or in pieces`() throws {
    let counter = try CallCounter()
    let process = try started(counter, ServerProcess.optimizedProgram)
    let client = try process.client()
    let frame = RawClient.framed(try CBOREncoder().encode(RequestEnvelope(id: 1, CitySearch(prefix: "al"))))
    func askInPieces() throws {
      for byte in frame { try client.send([byte]) }
      _ = try client.receiveFrame()
    }
    for _ in 0..<5 { try askInPieces() }
    try ask(client, 200, together: 10)
    // On a busy machine a path may be taken for the first time in any round, and the runtime then makes its metadata;
    // a request that allocates does so in every round.
    let rounds = try (0..<4).map { _ in
      let before = counter.counts
      try ask(client, 2_000)
      try ask(client, 2_000, together: 10)
      for _ in 0..<50 { try askInPieces() }
      return (counter.counts - before).allocations
    }
    #expect(rounds.min() == 0, "\(rounds)")
  }

  @Test func `memory and descriptors are flat over many connections and requests`() throws {
    let counter = try CallCounter()
    let process = try started(counter)
    func descriptors() -> Int { Repository.names(in: "/proc/\(process.pid)/fd").count }
    for _ in 0..<50 { try ask(process.client(), 10) }
    let (before, open) = (counter.counts, descriptors())
    for _ in 0..<500 { try ask(process.client(), 10) }
    let counts = counter.counts - before
    #expect(eventually { descriptors() <= open })
    #expect(abs(counts.allocations - counts.releases) < 50)
  }
}

/// Counts calls of a process through a preloaded library.
struct CallCounter {
  private let file: UnsafeMutableRawPointer
  private let folder: TemporaryFolder

  /// Calls by kind.
  struct Counts {
    var allocations = 0, releases = 0, reads = 0, writes = 0, waits = 0, others = 0

    static func - (new: Counts, old: Counts) -> Counts {
      Counts(
        allocations: new.allocations - old.allocations, releases: new.releases - old.releases,
        reads: new.reads - old.reads, writes: new.writes - old.writes, waits: new.waits - old.waits,
        others: new.others - old.others)
    }
  }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("counts", [UInt8](repeating: 0, count: 4_096))
    let descriptor = open(folder.path("counts"), O_RDWR)
    defer { close(descriptor) }
    file = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
  }

  /// What the process must be started with.
  var environment: [String: String] {
    ["LD_PRELOAD": Self.library ?? "", "CALL_COUNTS": folder.path("counts")]
  }

  /// The counts by now.
  var counts: Counts {
    func count(_ index: Int) -> Int { Int(file.load(fromByteOffset: 8 * index, as: UInt64.self)) }
    return Counts(
      allocations: count(0), releases: count(1), reads: count(2), writes: count(3), waits: count(4), others: count(5))
  }

  /// The library; nil without a compiler.
  static var library: String? { compiled?.path }

  /// The library, compiled once, and the folder that holds it.
  private static let compiled: (folder: TemporaryFolder, path: String)? = {
    guard let folder = try? TemporaryFolder(), (try? folder.write("count.c", Array(source.utf8))) != nil else {
      return nil
    }
    let target = folder.path("count.so")
    for compiler in ["clang", "cc"] {
      let command = "\(compiler) -O1 -shared -fPIC -o \(target) \(folder.path("count.c")) -ldl 2>/dev/null"
      if system(command) == 0 { return (folder, target) }
    }
    return nil
  }()

  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stddef.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <sys/epoll.h>
    #include <sys/mman.h>
    #include <sys/socket.h>
    #include <unistd.h>
    static uint64_t none[8];
    static uint64_t *counts = none;
    __attribute__((constructor)) static void begin(void) {
      const char *path = getenv("CALL_COUNTS");
      int file = path ? open(path, O_RDWR) : -1;
      void *map = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (map != MAP_FAILED) counts = map;
      if (file >= 0) close(file);
    }
    #define COUNT(index) __atomic_fetch_add(&counts[index], 1, __ATOMIC_RELAXED)
    extern void *__libc_malloc(size_t);
    extern void *__libc_calloc(size_t, size_t);
    extern void *__libc_realloc(void *, size_t);
    extern void *__libc_memalign(size_t, size_t);
    extern void __libc_free(void *);
    void *malloc(size_t size) { COUNT(0); return __libc_malloc(size); }
    void *calloc(size_t n, size_t size) { COUNT(0); return __libc_calloc(n, size); }
    void *realloc(void *p, size_t size) { if (!p) COUNT(0); return __libc_realloc(p, size); }
    void *aligned_alloc(size_t a, size_t size) { COUNT(0); return __libc_memalign(a, size); }
    int posix_memalign(void **p, size_t a, size_t size) { COUNT(0); *p = __libc_memalign(a, size); return *p ? 0 : 12; }
    void free(void *p) { if (p) COUNT(1); __libc_free(p); }
    #define NEXT(name) static __typeof__(name) *next; if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
    ssize_t read(int d, void *b, size_t n) { NEXT(read); COUNT(5); return next(d, b, n); }
    ssize_t write(int d, const void *b, size_t n) { NEXT(write); COUNT(5); return next(d, b, n); }
    int epoll_wait(int e, struct epoll_event *v, int n, int t) { NEXT(epoll_wait); COUNT(4); return next(e, v, n, t); }
    int epoll_ctl(int e, int o, int d, struct epoll_event *v) { NEXT(epoll_ctl); COUNT(5); return next(e, o, d, v); }
    ssize_t recv(int d, void *b, size_t n, int f) { NEXT(recv); COUNT(2); return next(d, b, n, f); }
    ssize_t send(int d, const void *b, size_t n, int f) { NEXT(send); COUNT(3); return next(d, b, n, f); }
    """
}
