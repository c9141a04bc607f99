/// The functions of a compiled Swift file with the symbols that each of them refers to (ELF, 64 bits).
struct ObjectFile {
  /// A function or a value, and a symbol that its code or data refers to, both with their mangled names.
  struct Reference: Hashable {
    var function: String
    var symbol: String
  }

  /// The references, one of each.
  let references: Set<Reference>

  /// Reads the relocations of an object file, which a compiler of this toolchain has written.
  init(_ bytes: [UInt8]) {
    func number(_ offset: Int, _ width: Int) -> Int {
      bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    /// Type, offset, size, and the two related sections of a section's header.
    let headers = (0..<number(0x3C, 2)).map { index in
      let at = number(0x28, 8) + index * 64
      return (
        type: number(at + 4, 4), offset: number(at + 24, 8), size: number(at + 32, 8), link: number(at + 40, 4),
        info: number(at + 44, 4)
      )
    }
    guard let table = headers.first(where: { $0.type == 2 }) else {
      references = []
      return
    }
    let names = headers[table.link].offset
    let symbols = (0..<table.size / 24).map { index in
      let at = table.offset + index * 24
      let start = names + number(at, 4)
      let name = String(decoding: bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
      return (name: name, kind: bytes[at + 4] & 15, section: number(at + 6, 2), value: number(at + 8, 8))
    }
    // Functions and objects by section and address; a relocation belongs to the last one at or before it.
    let defined = Dictionary(grouping: symbols.filter { $0.kind == 1 || $0.kind == 2 }, by: \.section)
      .mapValues { $0.sorted { $0.value < $1.value } }
    var found: Set<Reference> = []
    for section in headers where section.type == 4 {
      let owners = defined[section.info] ?? []
      var owner = 0
      let entries = (0..<section.size / 24).map { index in
        (offset: number(section.offset + index * 24, 8), symbol: number(section.offset + index * 24 + 12, 4))
      }
      for entry in entries.sorted(by: { $0.offset < $1.offset }) {
        while owner + 1 < owners.count, owners[owner + 1].value <= entry.offset { owner += 1 }
        guard owner < owners.count else { continue }
        found.insert(Reference(function: owners[owner].name, symbol: symbols[entry.symbol].name))
      }
    }
    references = found
  }
}
