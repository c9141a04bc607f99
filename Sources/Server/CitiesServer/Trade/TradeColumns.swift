import CitiesProtocol
import Money
import Resident
import Synchronization

/// The totals of all products in the currencies that were asked for lately: each computed once a generation.
final class TradeColumns: Sendable {
  /// Columns that are kept: two requests' worth, at 80 bytes a product each.
  static let maximum = 2 * ProductList.maximumCurrencies

  /// Which column.
  struct Key: Hashable, Sendable {
    var generation: Generation
    var currency: CurrencyCode
    var rounding: Rounding
  }

  private struct State {
    /// The columns, the one that was used last at the end.
    var kept: [(key: Key, totals: [ProductTotal])] = []
    var computed = 0
  }

  private let state = Mutex(State())

  /// How many columns were computed so far: what a test counts.
  var computed: Int { state.withLock { $0.computed } }

  /// How many columns there are: another.
  var kept: Int { state.withLock { $0.kept.count } }

  /// Whether the column is there.
  func has(_ key: Key) -> Bool { state.withLock { $0.kept.contains { $0.key == key } } }

  /// The column, computed from `trade` if it is not there.
  ///
  /// - Complexity: O(columns) if it is there, else O(N) for all N transactions.
  func column(_ key: Key, of trade: ResidentTrade) throws(WireError) -> [ProductTotal] {
    let found = state.withLock { state -> [ProductTotal]? in
      guard let index = state.kept.firstIndex(where: { $0.key == key }) else { return nil }
      let column = state.kept.remove(at: index)
      state.kept.append(column)
      return column.totals
    }
    if let found { return found }
    let totals: [ProductTotal]
    do throws(ResidentError) { totals = try trade.totals(in: key.currency, rounding: key.rounding) } catch {
      throw WireError(error)
    }
    state.withLock { state in
      state.computed += 1
      state.kept.removeAll { $0.key == key }
      state.kept.append((key, totals))
      if state.kept.count > Self.maximum { state.kept.removeFirst() }
    }
    return totals
  }
}
