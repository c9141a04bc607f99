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

  /// Rows with the values of columns 2 and 0, cut byte by byte.
  private func plainRows(_ table: [UInt8], _ form: TableForm) -> [PlainRow] {
    var rows: [PlainRow] = []
    var (row, isQuoted): ([UInt8], Bool) = ([], false)
    for byte in table {
      row.append(byte)
      if byte == TableSyntax.quote, form == .csv { isQuoted.toggle() }
      guard byte == TableSyntax.lineFeed, !isQuoted else { continue }
      rows.append(plainRow(row, form))
      row = []
    }
    return row.isEmpty ? rows : rows + [plainRow(row, form)]
  }

  private func plainRow(_ bytes: [UInt8], _ form: TableForm) -> PlainRow {
    var content = bytes
    if content.last == TableSyntax.lineFeed {
      content.removeLast()
      if content.last == TableSyntax.carriageReturn { content.removeLast() }
    }
    var values: [[UInt8]] = [[]]
    var isQuoted = false
    for byte in content {
      if byte == TableSyntax.quote, form == .csv { isQuoted.toggle() }
      if byte == TableSyntax.separator(form), !isQuoted {
        values.append([])
      } else {
        values[values.count - 1].append(byte)
      }
    }
    let plain = values.map { value in
      let hasQuotes =
        form == .csv && value.count >= 2 && value.first == TableSyntax.quote && value.last == TableSyntax.quote
      return hasQuotes ? Array(value.dropFirst().dropLast()) : value
    }
    return PlainRow(bytes: bytes, values: [plain.count > 2 ? plain[2] : nil, plain[0]])
  }

  /// The same by the reader, from a socket that brings `piece` bytes at a time.
  private func rows(
    _ table: [UInt8], _ form: TableForm, piece: Int, _ limits: BatchLimits
  ) throws -> (rows: [PlainRow], batches: [Int], isAtLongRow: Bool) {
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
    var reader = TableReader(descriptor: ends[0], form: form)
    let batch = TableBatch(form, columns: [2, 0], limits)
    var (found, batches): ([PlainRow], [Int]) = ([], [])
    while true {
      batch.start(at: 1 + found.count)
      while !reader.move(to: batch) { try reader.fill() }
      guard batch.count > 0 else { return (found, batches, reader.isAtLongRow) }
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
  func rowsAreCutAsPlainCodeCutsThem(form: TableForm, piece: Int) throws {
    var random = SeededGenerator(seed: 11)
    let alphabet = Array("a1\t,\"\n\r;".utf8)
    for _ in 0..<40 {
      let table = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      let (found, batches, _) = try rows(table, form, piece: piece, BatchLimits(rows: 5))
      #expect(found == plainRows(table, form), "\(String(decoding: table, as: UTF8.self).debugDescription)")
      #expect(batches.allSatisfy { $0 <= 5 })
    }
  }

  @Test func aBatchEndsBeforeItsValuesAreTooManyBytes() throws {
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

  @Test func aBatchEndsAtAMegabyteWhateverItsRows() throws {
    let table = Array((0..<8).map { "\($0)" + String(repeating: "z", count: 300_000) + "\n" }.joined().utf8)
    #expect(try rows(table, .tsv, piece: 65_536, BatchLimits(rows: 4_000)).batches == [4, 4])
  }

  @Test(
    "a row may have as many bytes, wherever reads divide the table", arguments: TableForm.allCases,
    [-1, 0, 1])
  func theLimitOfARowIsExact(form: TableForm, excess: Int) throws {
    let length = TableReader.maximumRowBytes + excess
    let start = Array((form == .csv ? "x,\"\n" : "x\t").utf8)
    let end = Array((form == .csv ? "\"\r\n" : "\r\n").utf8)
    let row = start + [UInt8](repeating: 0x61, count: length - start.count - end.count) + end
    let unended = start + [UInt8](repeating: 0x61, count: length - start.count)
    for (table, before) in [
      (Array("1\n2\n".utf8) + row + Array("3\n".utf8), 2), (row, 0), (Array("1\n".utf8) + unended, 1),
    ] {
      let all = plainRows(table, form)
      for piece in [4_093, 65_536, table.count] {
        let found = try rows(table, form, piece: piece, BatchLimits(rows: 4_000))
        #expect(found.isAtLongRow == (excess > 0), "pieces of \(piece) bytes")
        #expect(found.rows == (excess > 0 ? Array(all[..<before]) : all), "pieces of \(piece) bytes")
      }
    }
  }

  @Test func doubledQuotesOfATextAreOne() throws {
    let (input, form) = (Array("\"a \"\"b\"\"\",c\"\"d,\"x\"\n".utf8), TableForm.csv)
    let batch = TableBatch(form, columns: [0, 1, 2, 3], BatchLimits(rows: 1))
    input.withUnsafeBytes { bytes in
      #expect(batch.add(bytes, 0..<bytes.count))
      batch.take(bytes)
    }
    #expect((0...3).map { batch.text(0, $0) } == ["a \"b\"", "c\"\"d", "x", nil])
  }
}
