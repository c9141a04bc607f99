import CSimulatedCalls
import Glibc

extension Kernel {
  /// Has the server's calls go to this kernel, which must live until ``uninstall()``.
  func install() {
    var calls = simulated_calls()
    calls.context = Unmanaged.passUnretained(self).toOpaque()
    calls.clock = { context, isRealtime in
      let kernel = Kernel.of(context)
      kernel.lookAtClock()
      return isRealtime != 0 ? kernel.timeOfDay : kernel.now
    }
    addEventCalls(&calls)
    addSocketCalls(&calls)
    addFileCalls(&calls)
    calls.thread = { context, start, argument in
      guard let start else { return EINVAL }
      nonisolated(unsafe) let body = argument
      return Kernel.of(context).start { simulated_thread_run(start, body) }
    }
    simulated_calls_install(&calls)
  }

  /// Gives the calls back to the C library.
  static func uninstall() { simulated_calls_install(nil) }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Kernel {
    guard let context else { fatalError("no kernel") }
    return Unmanaged<Kernel>.fromOpaque(context).takeUnretainedValue()
  }

  private func addEventCalls(_ calls: inout simulated_calls) {
    calls.epoll_create = { context in Kernel.of(context).open(Epoll(.of(context))) }
    calls.epoll_change = { context, epoll, operation, descriptor, interest, token in
      let kernel = Kernel.of(context)
      kernel.spend(500)
      let epoll: Epoll = kernel.object(epoll, "epoll_ctl")
      let object: KernelObject = kernel.object(descriptor, "epoll_ctl")
      return epoll.change(operation, object, interest: interest, token: token)
    }
    calls.epoll_wait = { context, epoll, events, capacity, milliseconds in
      let kernel = Kernel.of(context)
      guard let events else { return -EFAULT }
      let epoll: Epoll = kernel.object(epoll, "epoll_wait")
      return kernel.wait(epoll, into: events, capacity: Int(capacity), isBrief: milliseconds == 0)
    }
    calls.event_create = { context in Kernel.of(context).open(EventCounter(.of(context))) }
    calls.timer_create = { context in Kernel.of(context).open(Timer(.of(context))) }
    calls.timer_arm = { context, descriptor, deadline in
      let timer: Timer = Kernel.of(context).object(descriptor, "timerfd_settime")
      timer.kernel.spend(300)
      timer.arm(deadline)
      return 0
    }
    calls.signal_create = { context, mask in
      let reader = SignalReader(.of(context), mask: mask)
      let number = reader.kernel.open(reader)
      if number >= 0 { reader.kernel.takeUnread(reader) }
      return number
    }
  }

  private func addSocketCalls(_ calls: inout simulated_calls) {
    calls.receive = { context, descriptor, bytes, count, onlyLooks in
      let socket: Socket = Kernel.of(context).object(descriptor, "recv")
      return socket.receive(UnsafeMutableRawBufferPointer(start: bytes, count: count), onlyLooks: onlyLooks != 0)
    }
    calls.send = { context, descriptor, bytes, count in
      let socket: Socket = Kernel.of(context).object(descriptor, "send")
      return socket.send(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    // A socket is one that listens until it is connected.
    calls.socket = { context in Kernel.of(context).open(ListeningEnd(.of(context))) }
    calls.bind = { context, descriptor, path in
      let socket: ListeningEnd = Kernel.of(context).object(descriptor, "bind")
      guard let path else { return -EFAULT }
      socket.path = String(cString: path)
      return socket.kernel.files.addSocket(socket.path)
    }
    calls.listen = { context, descriptor in
      let socket: ListeningEnd = Kernel.of(context).object(descriptor, "listen")
      socket.isListening = true
      return 0
    }
    calls.connect = { context, descriptor, path in
      guard let path else { return -EFAULT }
      return Kernel.of(context).connect(descriptor, String(cString: path))
    }
    calls.accept = { context, descriptor in
      let socket: ListeningEnd = Kernel.of(context).object(descriptor, "accept4")
      return socket.accept()
    }
    calls.peer = { context, descriptor, user in
      let socket: Socket = Kernel.of(context).object(descriptor, "getsockopt")
      user?.pointee = socket.user
      return 0
    }
    calls.shutdown = { context, descriptor, _ in
      let socket: Socket = Kernel.of(context).object(descriptor, "shutdown")
      return socket.stopReceiving()
    }
  }

  private func addFileCalls(_ calls: inout simulated_calls) {
    calls.read = { context, descriptor, bytes, count in
      Kernel.of(context).read(descriptor, UnsafeMutableRawBufferPointer(start: bytes, count: count))
    }
    calls.write = { context, descriptor, _, count in
      let counter: EventCounter = Kernel.of(context).object(descriptor, "write")
      counter.kernel.spend(500)
      counter.add()
      return count
    }
    calls.close = { context, descriptor in Kernel.of(context).close(descriptor) }
    calls.open = { context, path, original, flags in
      guard let path else { return -EFAULT }
      return Kernel.of(context).files.open(String(cString: path), original: original, flags: flags)
    }
    calls.status = { context, descriptor, status in
      guard let status else { return -EFAULT }
      return Kernel.of(context).files.status(descriptor, &status.pointee)
    }
    calls.path_status = { context, path, status in
      guard let path, let status else { return -EFAULT }
      return Kernel.of(context).files.status(String(cString: path), &status.pointee)
    }
    calls.memory = { context, descriptor in Kernel.of(context).files.memory(descriptor) }
    calls.lease = { context, descriptor, command, argument in
      Kernel.of(context).files.lease(descriptor, command, argument)
    }
    calls.unlink = { context, path in
      guard let path else { return -EFAULT }
      return Kernel.of(context).files.unlink(String(cString: path))
    }
    addWatchCalls(&calls)
  }

  private func addWatchCalls(_ calls: inout simulated_calls) {
    calls.watch_create = { context in Kernel.of(context).open(FolderWatcher(.of(context))) }
    calls.watch_add = { context, descriptor, path in
      let watcher: FolderWatcher = Kernel.of(context).object(descriptor, "inotify_add_watch")
      guard let path else { return -EFAULT }
      let folder = watcher.kernel.files.folder(String(cString: path))
      if folder >= 0 { watcher.watch(folder) }
      return folder
    }
    calls.watch_remove = { context, descriptor, folder in
      let watcher: FolderWatcher = Kernel.of(context).object(descriptor, "inotify_rm_watch")
      watcher.forget(folder)
      return 0
    }
  }

  /// read(2) of what is not a socket.
  private func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    spend(500)
    let object: KernelObject = object(descriptor, "read")
    switch object {
    case let counter as EventCounter:
      let value = counter.take()
      guard value > 0 else { return -Int(EAGAIN) }
      buffer.storeBytes(of: value, as: UInt64.self)
      return 8
    case let reader as SignalReader:
      guard let signal = reader.take() else { return -Int(EAGAIN) }
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      buffer.storeBytes(of: UInt32(signal), as: UInt32.self)
      return buffer.count
    case let watcher as FolderWatcher: return watcher.read(buffer)
    default: fail("read: the descriptor \(descriptor - SIMULATED_DESCRIPTOR) cannot be read")
    }
  }

  /// connect(2): the socket becomes a connected one, under the same number.
  private func connect(_ descriptor: Int32, _ path: String) -> Int32 {
    spend(4_000)
    let before: ListeningEnd = object(descriptor, "connect")
    let socket = Socket(self, user: 0, capacity: 65_536)
    socket.isOutgoing = true
    let outcome = onConnect(socket, path)
    if outcome == 0 { replace(before, by: socket) }
    return outcome
  }
}
