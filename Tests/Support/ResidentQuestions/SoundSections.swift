import Glibc
package import Resident
package import TestSupport

/// The sections of a sound file, and the ways in which tests spoil them before the checksums are made.
package struct SoundSections {
  /// Sections with their names, in the order of the file.
  package typealias Sections = [(name: FourBytes, bytes: [UInt8])]

  /// All sections.
  package let all: Sections

  /// Reads the sections of `image`, which is written into `folder` for that.
  package init(of image: ResidentImage, kind: ResidentKind, in folder: TemporaryFolder) throws {
    let path = folder.path("sound")
    try image.write(to: path)
    let file = try ResidentFile(path: path, kind: kind)
    all = withExtendedLifetime(file) { file.header.sections.map { ($0.name, file[$0.name].map(Array.init) ?? []) } }
  }

  /// Writes `sections`, with right checksums, as a file of `kind` in `folder`; its path.
  package static func write(_ sections: Sections, kind: ResidentKind, in folder: TemporaryFolder) throws -> String {
    let image = ResidentImage(kind: kind, fingerprint: 1, sections: sections)
    return try folder.write("hostile", image.bytes)
  }

  /// Calls `body` with the sections of which one is missing, empty or cut, each in turn; and says which.
  package func forEachCut(_ body: (Sections, String) throws -> Void) throws {
    for index in all.indices {
      for keep in [nil, 0, 1, all[index].bytes.count - 1] as [Int?] {
        var changed = all
        if let keep {
          changed[index].bytes = Array(changed[index].bytes.prefix(max(keep, 0)))
        } else {
          changed.remove(at: index)
        }
        try body(changed, "\(all[index].name) cut to \(keep ?? -1)")
      }
    }
  }

  /// Calls `body` with the sections of which one byte is another, each in turn.
  package func forEachChangedByte(seed: UInt64, _ body: (Sections) throws -> Void) throws {
    var generator = SeededGenerator(seed: seed)
    for index in all.indices {
      for offset in all[index].bytes.indices {
        var changed = all
        changed[index].bytes[offset] = UInt8.random(in: .min ... .max, using: &generator)
        try body(changed)
      }
    }
  }

  /// Calls `body` with up to three sections mutated, as often as `part` says.
  package func forEachMutation(_ part: Mutations, _ body: (Sections) throws -> Void) throws {
    try part.run { mutator in
      var changed = all
      for _ in 0...mutator.below(3) {
        let index = mutator.below(all.count)
        let bytes = changed[index].bytes
        changed[index].bytes = mutator.below(4) == 0 ? mutator.mutated(bytes) : mutator.damaged(bytes)
      }
      try body(changed)
    }
  }

  /// Calls `body` with the path of the sound file, and with what overwrites a part of it in place: with zeros, with
  /// another part, or with anything.
  package func forEachOverwriting(
    kind: ResidentKind, in folder: TemporaryFolder, seeds: Range<UInt64>,
    _ body: (_ path: String, _ overwrite: () throws -> Void) throws -> Void
  ) throws {
    for seed in seeds {
      var generator = SeededGenerator(seed: seed)
      let path = try Self.write(all, kind: kind, in: folder)
      try body(path) {
        let file = Glibc.open(path, O_RDWR)
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        let start = Int.random(in: 0..<size, using: &generator)
        var bytes = [UInt8](repeating: 0, count: Int.random(in: 1...size - start, using: &generator))
        switch seed % 3 {
        case 0: break
        case 1: pread(file, &bytes, bytes.count, Int.random(in: 0...size - bytes.count, using: &generator))
        default: for index in bytes.indices { bytes[index] = .random(in: .min ... .max, using: &generator) }
        }
        guard pwrite(file, bytes, bytes.count, start) == bytes.count else { throw POSIXFailure(errno) }
      }
    }
  }
}

/// A call that failed with an error number.
private struct POSIXFailure: Error {
  let number: Int32

  init(_ number: Int32) { self.number = number }
}
