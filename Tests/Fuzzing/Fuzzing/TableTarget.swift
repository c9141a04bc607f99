import CBOR
import Glibc
import TestSupport

@testable import CitiesBulkCommands
@testable import CitiesCommands

/// The rows of a table: which ones are read must not depend on how the input is divided into reads.
///
/// The first byte of an input chooses the form, the second one the size of the pieces.
final class TableTarget: FuzzTarget {
  static let name = "tables"

  static var seeds: [[UInt8]] {
    [
      "name\tlat\tlon\nTallinn\t59.4\t24.7\n\n", "name,lat,lon\r\n\"a \"\"b\"\"\",-1e3,+2\r\n\"x\ny\",1,2",
      "\u{FEFF}\"a\",b\n1;2,3\n",
    ].enumerated().map { [UInt8($0 % 2), 3] + Array($1.utf8) } + [
      [1, 2, 0xFF, 0xFE, 0x61, 0, 0x2C, 0, 0x0A, 0, 0x3D, 0xD8]
    ]
  }

  private struct Rows: Equatable {
    var rows: [[UInt8]] = []
    var values: [[UInt8]?] = []
    var fault: TableReader.Fault?
  }

  init() {}

  func run(_ input: [UInt8]) throws {
    var input = FuzzInput(input)
    let syntax = input.number(width: 1) % 2 == 0 ? TableSyntax.tsv : .csv
    let piece = 1 + input.number(width: 1) % 64
    let table = input.bytes(atMost: 32_768)
    let (whole, divided) = (try rows(table, syntax, piece: 65_536), try rows(table, syntax, piece: piece))
    guard whole == divided else { throw FuzzFinding("\(whole) as a whole, \(divided) in pieces of \(piece)") }
    // A mark says that the table is decoded, or refused.
    guard !TableMark.allCases.contains(where: { table.starts(with: $0.bytes) }) else { return }
    let bytes = whole.rows.flatMap(\.self)
    guard whole.fault == nil ? bytes == table : table.starts(with: bytes) else { throw FuzzFinding("rows: \(bytes)") }
  }

  private func rows(_ table: [UInt8], _ syntax: TableSyntax, piece: Int) throws -> Rows {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw FuzzFinding("no pipe: error \(errno)") }
    defer { for end in ends where end >= 0 { close(end) } }
    var reader = TableReader(descriptor: ends[0], syntax: syntax)
    let batch = TableBatch(syntax, columns: [1, 0], areTexts: syntax.hasQuotes, BatchLimits(rows: 3, valueBytes: 200))
    let question = LocateQuestion(rule: nil, hasCountries: false)
    var (found, rest) = (Rows(), table[...])
    while true {
      batch.start(at: 1 + found.rows.count)
      while !reader.move(to: batch) {
        // A pipe takes 64 KiB, so nothing waits for the reader.
        if rest.isEmpty, ends[1] >= 0 {
          close(ends[1])
          ends[1] = -1
        } else if !rest.isEmpty {
          let next = Array(rest.prefix(piece))
          guard write(ends[1], next, next.count) == next.count else { throw FuzzFinding("a pipe that is full") }
          rest = rest.dropFirst(next.count)
        }
        try reader.fill()
      }
      guard batch.count > 0 else { break }
      for row in 0..<batch.count {
        let place = batch.rows[row]
        found.rows.append(Array(batch.bytes[place.start..<place.end]))
        found.values += [0, 1].map { batch.value(row, $0).map { Array($0) } }
        _ = (batch.text(row, 0), batch.excerpt(ofRow: row), batch.misfit(ofRow: row), batch.names.count)
      }
      _ = try CBOREncoder().encode(question.request(for: batch))
    }
    found.fault = reader.fault
    return found
  }
}
