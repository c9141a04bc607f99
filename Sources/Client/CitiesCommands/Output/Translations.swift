internal import CitiesProtocol
internal import System

/// Names of cities in the user's language: `translations.bin`, which `citiesd-sync translate` creates when the programs
/// are built.
///
/// The file is mapped, and searched in place by bisection: a table of twenty rows reads a few pages of it. Any contents
/// are safe; a corrupt file has no names, or wrong ones.
package struct Translations {
  /// The path of the file below a prefix.
  static let installedName = "share/cities/translations.bin"
  /// The first bytes of the file.
  private static let magic = Array("CITYNAM1".utf8)
  /// The size in bytes of a language's code, and of its entry.
  private static let (codeBytes, entryBytes) = (16, 20)
  /// The size in bytes of the header: the magic and two numbers.
  private static let headBytes = 16
  /// The maximum number of bytes of a name to read; no name of a city is longer.
  private static let maximumNameBytes = 512

  private let file: MappedFile
  private let languages: Int
  private let names: Int
  /// The names of the chosen language, the most specific variant first.
  private var tables: [Range<Int>] = []

  /// Opens the names in the first of `languages` that has any; each language is given by its variants, the most
  /// specific first.
  ///
  /// - Complexity: O(k log l) for k variants and the l languages of the file.
  init?(path: String, languages wanted: [[String]]) {
    guard let file = MappedFile(path: path), file.bytes.count >= Self.headBytes,
      file.bytes.starts(with: Self.magic)
    else { return nil }
    self.file = file
    (languages, names) = (Self.number(file.bytes, 8), Self.number(file.bytes, 12))
    guard ids + 8 * names <= file.bytes.count else { return nil }
    for variants in wanted where tables.isEmpty { tables = variants.compactMap { table($0) } }
    if tables.isEmpty { return nil }
  }

  /// The name of the city with `id`; `nil` if it is the one in its title, or unknown.
  ///
  /// - Complexity: O(log n) in the names of the language.
  package subscript(id: UInt64) -> String? {
    for table in tables {
      let place = partitionPoint(table) { UInt64(number(ids + 4 * $0)) < id }
      guard place < table.upperBound, UInt64(number(ids + 4 * place)) == id else { continue }
      return text(at: number(ids + 4 * (names + place)))
    }
    return nil
  }

  /// The start of the ids.
  private var ids: Int { Self.headBytes + Self.entryBytes * languages + 4 }

  /// The names in the language `code`; `nil` if there are none.
  private func table(_ code: String) -> Range<Int>? {
    let wanted = Array(code.utf8)
    guard (1...Self.codeBytes).contains(wanted.count) else { return nil }
    let place = partitionPoint(0..<languages) { self.code(of: $0).lexicographicallyPrecedes(wanted) }
    guard place < languages, self.code(of: place).elementsEqual(wanted) else { return nil }
    let entry = Self.headBytes + Self.entryBytes * place + Self.codeBytes
    // The first name of the next language follows the next code; after the last entry comes the total number.
    let next = place + 1 < languages ? entry + Self.entryBytes : entry + 4
    let (start, end) = (number(entry), number(next))
    return start < end && end <= names ? start..<end : nil
  }

  private func code(of place: Int) -> Slice<UnsafeRawBufferPointer> {
    let start = Self.headBytes + Self.entryBytes * place
    return file.bytes[start..<start + Self.codeBytes].prefix { $0 != 0 }
  }

  /// The text at `offset` among all texts; `nil` if it is not UTF-8.
  private func text(at offset: Int) -> String? {
    let start = ids + 8 * names + offset
    guard start < file.bytes.count else { return nil }
    return String(validating: file.bytes[start...].prefix(Self.maximumNameBytes).prefix { $0 != 0 }, as: UTF8.self)
  }

  private func number(_ offset: Int) -> Int { Self.number(file.bytes, offset) }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
    guard offset >= 0, offset <= bytes.count - 4 else { return 0 }
    return Int(bytes.load(littleEndian: UInt32.self, at: offset))
  }
}

/// The user's preferred languages.
enum ReaderLanguages {
  /// The value of `--language` that means no language.
  static let none = "none"

  /// The languages in the environment, according to gettext: the list in `LANGUAGE`, unless the locale of messages is
  /// the POSIX locale; else that locale, the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty.
  static func wanted(_ environment: (String) -> String?) -> [[String]] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    guard !variants(of: locale).isEmpty else { return [] }
    let list = environment("LANGUAGE").flatMap { $0.isEmpty ? nil : $0 } ?? locale
    return list.split(separator: ":").map { variants(of: String($0)) }.filter { !$0.isEmpty }
  }

  /// The codes of a language, the most specific first: `sr_RS@latin`, `sr@latin`, `sr_RS`, `sr`; none for the POSIX
  /// locale.
  static func variants(of locale: String) -> [String] {
    let parts = locale.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let plain = parts.first?.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    let language = plain.split(separator: "_", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    guard !["", "C", "POSIX"].contains(language) else { return [] }
    let bases = plain == language ? [language] : [plain, language]
    return (parts.count > 1 ? bases.map { "\($0)@\(parts[1])" } : []) + bases
  }

  /// Whether a text may be the code of a language: `de`, `pt_BR`, `sr@latin`.
  static func isName(_ text: String) -> Bool {
    let first = text.utf8.prefix { ($0 | 0x20) &- 0x61 < 26 }
    return first.count >= 2 && text.utf8.count <= 32
      && text.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "_-@.".utf8.contains($0) }
  }
}

extension Listing {
  /// The listing with translated names after the titles of cities: `Munich, DE (München)`.
  func naming(_ translations: Translations) -> Listing {
    guard let city else { return self }
    var listing = self
    listing.columns = columns.map { column in
      guard column.name == "title" else { return column }
      return ListingColumn(column.name, in: column.places, form: column.form, weight: column.weight) { row in
        let (title, city) = (column.value(row), city(row))
        guard let city, let name = translations[city.id], name != city.name else { return title }
        return .text("\(title.plain) (\(name))")
      }
    }
    return listing
  }
}
