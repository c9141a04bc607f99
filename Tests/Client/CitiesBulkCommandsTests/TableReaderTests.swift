import Glibc
import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

@Suite struct TableReaderTests {
  /// A row as plain code cuts it from a table.
  private struct PlainRow: Equatable {
    var bytes: [UInt8]
    var values: [[UInt8]?]
  }

  /// Reads a table byte by byte, in the states of Python's module `csv` (`Modules/_csv.c`); tsv never leaves the first
  /// two.
  private struct PlainReader {
    private enum State { case startOfValue, inValue, inQuotes, quoteInQuotes }

    let form: TableForm
    private var state = State.startOfValue
    private var row: [UInt8] = []
    private var values: [[UInt8]] = [[]]
    private(set) var rows: [PlainRow] = []

    /// Reads `table`; a row whose last value is in quotes that do not end is left out.
    init(_ table: [UInt8], _ form: TableForm) {
      self.form = form
      let mark = Array("\u{FEFF}".utf8)
      let start = table.starts(with: mark) ? mark.count : 0
      row = Array(table[..<start])
      for byte in table[start...] { take(byte) }
      if !row.isEmpty, state != .inQuotes { endRow() }
    }

    private mutating func take(_ byte: UInt8) {
      row.append(byte)
      switch (byte, state) {
      case (TableSyntax.quote, .startOfValue) where form == .csv: state = .inQuotes
      case (TableSyntax.quote, .inQuotes): state = .quoteInQuotes
      case (TableSyntax.quote, .quoteInQuotes): add(byte, .inQuotes)
      case (_, .inQuotes): add(byte, .inQuotes)
      case (TableSyntax(form).separator, _): (values, state) = (values + [[]], .startOfValue)
      case (TableSyntax.lineFeed, _): endRow()
      default: add(byte, .inValue)
      }
    }

    private mutating func add(_ byte: UInt8, _ next: State) {
      values[values.count - 1].append(byte)
      state = next
    }

    /// Ends a row, with the values of columns 2 and 0.
    private mutating func endRow() {
      // Only a carriage return outside quotes belongs to the line end.
      if row.suffix(2) == [TableSyntax.carriageReturn, TableSyntax.lineFeed] { values[values.count - 1].removeLast() }
      rows.append(PlainRow(bytes: row, values: [values.count > 2 ? values[2] : nil, values[0]]))
      (row, values, state) = ([], [[]], .startOfValue)
    }
  }

  private func plainRows(_ table: [UInt8], _ form: TableForm) -> [PlainRow] { PlainReader(table, form).rows }

  /// The same by the reader, from a socket that brings `piece` bytes at a time.
  private func rows(
    _ table: [UInt8], _ form: TableForm, piece: Int, _ limits: BatchLimits
  ) throws -> (rows: [PlainRow], batches: [Int], fault: TableReader.Fault?) {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let target = ends[1]
    spawn {
      for start in stride(from: 0, to: table.count, by: piece) {
        let bytes = Array(table[start..<min(start + piece, table.count)])
        // A pipe that the reader has closed would end the process.
        _ = send(target, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
      close(target)
    }
    defer { close(ends[0]) }
    var reader = TableReader(descriptor: ends[0], syntax: TableSyntax(form))
    let batch = TableBatch(TableSyntax(form), columns: [2, 0], limits)
    var (found, batches): ([PlainRow], [Int]) = ([], [])
    while true {
      batch.start(at: 1 + found.count)
      while !reader.move(to: batch) { try reader.fill() }
      guard batch.count > 0 else { return (found, batches, reader.fault) }
      #expect(batch.firstNumber == 1 + found.count)
      for row in 0..<batch.count {
        let place = batch.rows[row]
        let values = (0...1).map { batch.value(row, $0).map { Array($0) } }
        found.append(PlainRow(bytes: Array(batch.bytes[place.start..<place.end]), values: values))
      }
      batches.append(batch.count)
    }
  }

  @Test(arguments: TableForm.allCases, [1, 3, 4_096])
  func `rows are cut as plain code cuts them`(form: TableForm, piece: Int) throws {
    var random = SeededGenerator(seed: 11)
    let parts = ["a", "1", "\t", ",", "\"", "\n", "\r\n", ";", "\"\"", ",\"", "\",", "\u{FEFF}"]
    for round in 0..<200 {
      let text = (0..<Int.random(in: 0...150, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
      let table = Array(((round % 4 == 0 ? "\u{FEFF}\"" : "") + text.joined()).utf8)
      let (found, batches, fault) = try rows(table, form, piece: piece, BatchLimits(rows: 5))
      let plain = plainRows(table, form)
      #expect(found == plain, "\(String(decoding: table, as: UTF8.self).debugDescription)")
      #expect((fault == .openQuote) == (plain.map(\.bytes.count).reduce(0, +) < table.count))
      #expect(batches.allSatisfy { $0 <= 5 })
    }
  }

  @Test func `a batch ends before its values are too many bytes`() throws {
    let table = Array((0..<20).map { "\($0 % 3 == 0 ? "long value" : "x")\t\tv\n" }.joined().utf8)
    let limits = BatchLimits(rows: 100, valueBytes: 40)
    let (found, batches, _) = try rows(table, .tsv, piece: 7, limits)
    #expect(found == plainRows(table, .tsv))
    #expect(batches.count > 1 && batches.reduce(0, +) == 20)
    var start = 0
    for count in batches {
      let bytes = found[start..<start + count].reduce(0) { sum, row in
        sum + row.values.reduce(0) { $0 + ($1?.count ?? 0) + BatchLimits.bytesPerValue }
      }
      #expect(bytes <= limits.valueBytes)
      start += count
    }
    let one = try rows(Array("\(String(repeating: "y", count: 90))\tb\tc\n".utf8), .tsv, piece: 50, limits)
    #expect(one.batches == [1])
  }

  @Test func `a batch ends at a megabyte whatever its rows`() throws {
    let table = Array((0..<8).map { "\($0)" + String(repeating: "z", count: 300_000) + "\n" }.joined().utf8)
    #expect(try rows(table, .tsv, piece: 65_536, BatchLimits(rows: 4_000)).batches == [4, 4])
  }

  @Test(
    arguments: TableForm.allCases,
    [-1, 0, 1])
  func `a row may have as many bytes, wherever reads divide the table`(form: TableForm, excess: Int) throws {
    let length = TableReader.maximumRowBytes + excess
    let start = Array((form == .csv ? "x,\"\n" : "x\t").utf8)
    let end = Array((form == .csv ? "\"\r\n" : "\r\n").utf8)
    let row = start + [UInt8](repeating: 0x61, count: length - start.count - end.count) + end
    let unended = row.dropLast(2) + Array("aa".utf8)
    for (table, before) in [
      (Array("1\n2\n".utf8) + row + Array("3\n".utf8), 2), (row, 0), (Array("1\n".utf8) + unended, 1),
    ] {
      let all = plainRows(table, form)
      for piece in [4_093, 65_536, table.count] {
        let found = try rows(table, form, piece: piece, BatchLimits(rows: 4_000))
        #expect(found.fault == (excess > 0 ? .longRow : nil), "pieces of \(piece) bytes")
        #expect(found.rows == (excess > 0 ? Array(all[..<before]) : all), "pieces of \(piece) bytes")
      }
    }
  }

  @Test func `doubled quotes of a text are one`() throws {
    let input = Array("\"a \"\"b\"\"\",c\"\"d,\"x\",\"e\"f\"\"g\n".utf8)
    let batch = TableBatch(.csv, columns: [0, 1, 2, 3, 4], BatchLimits(rows: 1))
    input.withUnsafeBytes { bytes in
      #expect(batch.add(bytes, 0..<bytes.count))
      batch.take(bytes)
    }
    #expect((0...4).map { batch.text(0, $0) } == ["a \"b\"", "c\"\"d", "x", "ef\"\"g", nil])
    #expect(batch.names == ["a \"b\"", "c\"\"d", "x", "ef\"\"g"])
  }
}
