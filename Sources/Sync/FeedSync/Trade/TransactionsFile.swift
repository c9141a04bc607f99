import Money
import Text

/// The feed `transactions`: `[{"sku": "T2006", "amount": "10.00", "currency": "USD"}, …]`, an amount as text or as a
/// number.
///
/// Other keys are ignored. A bad record is noted with its position and skipped. Equal records are separate sales. Codes
/// are brought into NFC.
struct TransactionsFile {
  /// The good records by product.
  let ledger: ProductLedger
  /// What was odd.
  let notes: ImportNotes

  /// Reads the list in `bytes`; `name` is what messages call it.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if it is no JSON array, has no good record, or more than
  ///   ``RateTable/maximumCurrencies`` currencies.
  /// - Complexity: O(bytes + N log N) for N records.
  init(_ bytes: [UInt8], name: String) throws(FeedError) {
    let folder = Folder()
    var list = try MoneyList(bytes, name: name) { (record) throws(MoneyRecord.Problem) in
      let code = try record.text("sku")
      let (amount, currency) = (try record.decimal("amount"), try record.currency("currency"))
      do {
        // What is too long is refused before it is worked on.
        let product = try ProductCode(folder.composed(ProductCode(code).text))
        return Transaction(product: product, amount: amount, currency: currency)
      } catch { throw MoneyRecord.Problem("sku: \(error)") }
    }
    list.remarkOnCurrencies { [$0.currency] }
    ledger = ProductLedger(list.records.lazy.map(\.value))
    guard ledger.currencies.count <= RateTable.maximumCurrencies else {
      throw FeedError(
        .badData,
        """
        \(name): \(ledger.currencies.count) currencies have transactions: at most \(RateTable.maximumCurrencies) are \
        served; nothing was taken from it
        """)
    }
    notes = list.notes
  }
}
