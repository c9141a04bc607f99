package import CitiesProtocol
package import Money
package import Resident
import Text

/// Builds `trade.resident` from the feeds `rates` and `transactions`.
///
/// The book is also built from one of them: without rates, every amount in another currency is a remainder, and the
/// server reports which feed is missing.
package struct TradeImporter: SubjectImporter {
  /// Those of the subject.
  package let feeds = ResidentTrade.feeds
  /// The trade book.
  package let kind = ResidentTrade.kind

  /// Makes an importer.
  package init() {}

  /// The parsed list of a feed.
  package enum Records: Sendable {
    /// The rates, with the paths between all currencies, and those that could not be read.
    case rates(RateTable, leftOut: LeftOutRates)
    /// The transactions by product.
    case transactions(ProductLedger)
  }

  /// Reads one feed's list.
  package func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<Records> {
    let bytes = try bytes.listText(name: name)
    switch feed {
    case .rates:
      let file = try RatesFile(bytes, name: name)
      let contents = try FeedContents(file.notes, kept: file.table.rates.count)
      return ParsedFeed(feed, contents, .rates(file.table, leftOut: file.leftOut))
    case .transactions:
      let file = try TransactionsFile(bytes, name: name)
      return ParsedFeed(feed, try FeedContents(file.notes, kept: file.ledger.count), .transactions(file.ledger))
    default: throw FeedError(.unavailable, "\(feed.rawValue) is not a feed of trade")
    }
  }

  /// Builds the trade book from the available lists.
  package func image(
    of parts: consuming [ParsedFeed<Records>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage {
    var summary = ResidentTrade.Summary(feeds: [], sample: false)
    var (rates, leftOut, ledger) = (RateTable.empty, LeftOutRates.none, ProductLedger([]))
    for part in parts {
      let counts = part.contents.counts
      summary.feeds.append(.init(feed: part.feed, records: counts.kept, skipped: counts.skipped))
      summary.sample = summary.sample || part.isSample
      switch part.records {
      case .rates(let table, let unread): (rates, leftOut) = (table, unread)
      case .transactions(let list): ledger = list
      }
    }
    let book = TradeBook(rates: rates, ledger: ledger, leftOutRates: leftOut)
    guard book.currencies.count <= ResidentTrade.maximumCurrencies else {
      let counts = "\(book.currencies.count) currencies: at most \(ResidentTrade.maximumCurrencies) are served"
      throw FeedError(.badData, "the feeds of trade have \(counts)")
    }
    do {
      return try ResidentTrade.image(of: book, summary: summary, fingerprint: fingerprint)
    } catch {
      throw FeedError(.badData, "the trade book cannot be written down: \(error)")
    }
  }
}

/// The feed `rates`: `[{"from": "EUR", "to": "USD", "rate": "1.359"}, …]`, a rate as text or as a number, or another
/// of the ``RateFormats``.
///
/// Other keys are ignored. A bad record is skipped, and if its currencies are known, conversions name it. Of several
/// rates for one pair the lowest is used, in any order: equal ones count as repeated, higher ones as replaced. A rate
/// of 1 from a currency to itself counts as repeated.
struct RatesFile {
  /// The rates, with the paths between all currencies.
  let table: RateTable
  let leftOut: LeftOutRates
  let notes: ImportNotes

  /// Reads the list in `bytes`; `name` is what messages call it.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if it is not a JSON array, or has more than
  ///   ``RateTable/maximumCurrencies`` currencies.
  /// - Complexity: O(bytes + R log R + V³) for R rates of V currencies.
  init(_ bytes: [UInt8], name: String) throws(FeedError) {
    func value(_ record: MoneyRecord) throws(RecordProblem) -> ExactDecimal {
      if record.has("amount"), try record.decimal("amount") != .one {
        throw RecordProblem("amount: the rate is not that of one \(try record.currency("from"))")
      }
      return try record.decimal("rate")
    }
    func rate(_ record: MoneyRecord, _ value: ExactDecimal) throws(RecordProblem) -> Rate {
      let (from, to) = (try record.currency("from"), try record.currency("to"))
      do { return try Rate(from: from, to: to, value: value) } catch { throw RecordProblem("\(error)") }
    }
    var list = try MoneyList(
      name: name, subject: { (record) throws(RecordProblem) in try rate(record, .one) },
      value: { (record) throws(RecordProblem) in try rate(record, value(record)) }
    ) { (take) throws(FeedError) in try RateFormats.read(bytes, take) }
    list.remarkOnCurrencies { [$0.from, $0.to] }
    do {
      table = try RateTable(list.records.lazy.map(\.value))
      leftOut = try LeftOutRates(list.leftOut, beside: table)
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was imported")
    }
    notes = Self.notes(of: list, table)
  }

  /// The notes of `list`, plus the records whose pair has another rate in `table`.
  private static func notes(of list: MoneyList<Rate, Rate>, _ table: RateTable) -> ImportNotes {
    var notes = list.notes
    var positions: [Rate: Int] = [:]
    for (position, rate) in list.records {
      guard let kept = table.given(from: rate.from, to: rate.to) else {
        notes.note(position, .repeated, "the rate from \(rate.from) to itself is 1 in any case")
        continue
      }
      // Equal rates may differ in decimal places; the table keeps one as written.
      if rate.value == kept.value, rate.value.scale == kept.value.scale, positions[kept] == nil {
        positions[kept] = position
        continue
      }
      let pair = "\(rate.from) to \(rate.to)"
      if rate.value == kept.value {
        notes.note(position, .repeated, "another record gives the same rate from \(pair), \(kept.value)")
      } else {
        notes.note(
          position, .replaced, "another record gives a lower rate from \(pair), \(kept.value) instead of \(rate.value)")
      }
    }
    return notes
  }
}

/// The feed `transactions`: `[{"sku": "T2006", "amount": "10.00", "currency": "USD"}, …]`, an amount as text or as a
/// number.
///
/// Other keys are ignored. A bad record is noted with its position, skipped, and counted with its product if that is
/// known. Equal records are separate sales. Codes are normalized to NFC.
struct TransactionsFile {
  /// The good records by product.
  let ledger: ProductLedger
  let notes: ImportNotes

  /// Reads the list in `bytes`; `name` is what messages call it.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if it is not a JSON array, or has more than
  ///   ``RateTable/maximumCurrencies`` currencies.
  /// - Complexity: O(bytes + N log N) for N records.
  init(_ bytes: [UInt8], name: String) throws(FeedError) {
    let folder = CaseFolder()
    func product(_ record: MoneyRecord) throws(RecordProblem) -> ProductCode {
      let code = try record.text("sku").trimmingSpace
      // Refuse a code that is too long before composing it.
      do { return try ProductCode(folder.composed(ProductCode(code).text)) } catch {
        throw RecordProblem("sku: \(error)")
      }
    }
    var list = try MoneyList(
      name: name, subject: product,
      value: { (record) throws(RecordProblem) in
        Transaction(
          product: try product(record), amount: try record.decimal("amount"), currency: try record.currency("currency"))
      }
    ) { (take) throws(FeedError) in try MoneyRecord.readList(bytes, [["sku"], ["amount"], ["currency"]], take) }
    list.remarkOnCurrencies { [$0.currency] }
    let leftOut = Dictionary(list.leftOut.lazy.map { ($0, 1) }, uniquingKeysWith: &+) as [ProductCode: UInt32]
    ledger = ProductLedger(list.records.lazy.map(\.value), leftOut: leftOut)
    guard ledger.currencies.count <= RateTable.maximumCurrencies else {
      throw FeedError(
        .badData,
        """
        \(name): \(ledger.currencies.count) currencies have transactions: at most \(RateTable.maximumCurrencies) are \
        served; nothing was imported
        """)
    }
    notes = list.notes
  }
}
