internal import CitiesProtocol

/// What totals leave out, told by currency.
enum RemainderNotes {
  /// The lines about one product's total: `not in the total: 3 transactions, 31.00 CHF, for no path of rates leads to EUR`.
  static func lines(_ total: TotalRow) -> [String] {
    total.remainders.map { remainder in
      let sum = remainder.sum.map { "\($0) \(remainder.currency)" } ?? "more than 38 digits of \(remainder.currency)"
      return "not in the total: \(transactions(remainder.count)), \(sum), for \(reason(remainder, total.currency))"
    } + (total.amount == nil ? ["the total in \(total.currency) has more than 38 digits"] : [])
  }

  /// The lines about the totals of many products: one for each pair of currencies.
  static func lines(_ rows: [ProductList.Row]) -> [String] {
    var groups: [(total: TotalRow, remainder: TotalRow.Remainder, products: UInt64)] = []
    for total in rows.flatMap(\.totals) {
      for remainder in total.remainders {
        let same = groups.firstIndex {
          ($0.total.currency, $0.remainder.currency, $0.remainder.reason)
            == (total.currency, remainder.currency, remainder.reason)
        }
        guard let same else {
          groups.append((total, remainder, 1))
          continue
        }
        groups[same].remainder.count += remainder.count
        groups[same].products += 1
      }
    }
    return groups.map { group in
      let products = group.products == 1 ? "1 product" : "\(group.products) products"
      return "not in the totals in \(group.total.currency): \(transactions(group.remainder.count)) of \(products) "
        + "in \(group.remainder.currency), for \(reason(group.remainder, group.total.currency))"
    }
  }

  private static func transactions(_ count: UInt64) -> String { count == 1 ? "1 transaction" : "\(count) transactions" }

  private static func reason(_ remainder: TotalRow.Remainder, _ currency: String) -> String {
    switch remainder.reason {
    case "unreachable": "no path of rates leads to \(currency)"
    case "overflow": "there are more than 38 digits"
    default: remainder.reason
    }
  }
}

extension Context {
  /// Tells what totals leave out, where the answer has no place for it.
  ///
  /// - Returns: how a command with such totals ends.
  func reportRemainders(_ lines: [String], isPartial: Bool, _ options: OutputOptions) -> ExitStatus {
    if diagnostics.isTerminal || !options.format(for: output).hasHead {
      for line in lines { diagnostics.note("partial", line) }
    }
    return isPartial ? .partial : .found
  }
}
