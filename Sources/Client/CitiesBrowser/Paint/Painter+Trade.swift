internal import CitiesProtocol

extension Painter {
  /// Paints the screen of trade.
  func paint(_ screen: TradeScreen) {
    let end = layout.numbersEnd
    if screen.isAtList {
      picture.put(Strings.products(screen.products.total), row: layout.filter, column: 1, Style(.strong))
    } else if let sku = screen.sku {
      picture.put(Strings.transactions(screen.count, sku), row: layout.filter, column: 1, Style(.strong))
    }
    picture.put(Strings.amounts(in: screen.terms), row: layout.filter, endingAt: end)
    if let problem = screen.isAtList ? screen.products.problem : screen.transactions?.problem {
      return paint(problem, offersSamples: screen.isAtList)
    }
    for (place, index) in screen.cursor.seen(count: screen.count, height: screen.height(layout)).enumerated() {
      let row = layout.body.lowerBound + place
      if let transactions = screen.transactions {
        let currency = transactions.answered?.terms.currency ?? ""
        if let line = transactions[index] { paint(line, currency, row, end) }
      } else if let product = screen.products[index] {
        paint(product, row, end)
      }
      if index == screen.cursor.selected { select(row..<row + 1, columns: layout.size.columns) }
    }
    if !screen.isAtList, let total = screen.total?.total { paint(total, screen) }
  }

  private func paint(_ product: ProductList.Row, _ row: Int, _ end: Int) {
    let total = product.totals.first
    let amount = total.map(Strings.amount) ?? ""
    picture.put(amount, row: row, endingAt: end)
    let count = Strings.transactionCount(Int(clamping: product.count))
    let room = end - 5 - textWidth(amount)
    let names = min(24, room)
    picture.put(product.sku, row: row, column: 2, width: names)
    picture.put(count, row: row, column: 4 + names, width: room - names - 2, Style(.faint))
  }

  private func paint(_ line: ProductGet.Row, _ currency: String, _ row: Int, _ end: Int) {
    picture.put("\(line.amount) \(line.currency)", row: row, endingAt: min(24, end / 2))
    let converted = line.converted.map { "\($0) \(currency)" } ?? Strings.notConverted(line.reason)
    picture.put(converted, row: row, endingAt: end, Style(line.converted == nil ? .problem : .plain))
  }

  private func paint(_ total: TotalRow, _ screen: TradeScreen) {
    let end = layout.numbersEnd
    var row = layout.body.upperBound - screen.remainders - 1
    picture.put(Strings.total, row: row, column: 2, Style(.heading))
    picture.put(Strings.amount(total), row: row, endingAt: end, Style(.heading))
    for line in Strings.leftOut(of: total).prefix(screen.remainders) {
      row += 1
      picture.put(line, row: row, column: 2, width: end - 2, Style(.problem))
    }
  }
}
