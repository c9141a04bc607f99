import CitiesProtocol
import FrameService
import Money
import Resident

extension ResidentTrade {
  /// Currencies that an error's message names at most.
  private static var shownCurrencies: Int { 32 }

  /// The currency that a parameter means: one of the book's, or the euro, which is asked for unless another one is.
  ///
  /// - Throws: `invalid-params` for `param`, which names the currencies that there are.
  func currency(_ text: String, _ param: String) throws(WireError) -> CurrencyCode {
    if let code = try? CurrencyCode(text), code == .euro || currencies.contains(code) { return code }
    let known = Set(currencies + [.euro]).sorted()
    let shown = known.prefix(Self.shownCurrencies).map(\.description).joined(separator: ", ")
    let more = known.count > Self.shownCurrencies ? " and \(known.count - Self.shownCurrencies) more" : ""
    throw .invalidParam(param, "nothing is known of the currency \"\(text.excerpt(32))\"; known are \(shown)\(more)")
  }

  /// The code of the product at `index`.
  ///
  /// - Throws: `internal` for a damaged book.
  func code(ofProductAt index: Int) throws(WireError) -> ProductCode {
    do throws(ResidentError) { return try product(at: index) } catch { throw WireError(error) }
  }

  /// Where the transaction stands that the source lists at `entry` of the product at `index`.
  ///
  /// - Throws: `internal` for a damaged book.
  func position(inSource entry: Int, ofProductAt index: Int) throws(WireError) -> Int {
    do throws(ResidentError) {
      return try sourcePosition(of: entry, ofProductAt: index)
    } catch {
      throw WireError(error)
    }
  }

  /// The transaction at a position of `product`.
  ///
  /// - Throws: `internal` for a damaged book.
  func sale(at position: Int, of product: ProductCode) throws(WireError) -> Transaction {
    do throws(ResidentError) { return try transaction(at: position, of: product) } catch { throw WireError(error) }
  }
}

extension Rounding {
  /// The wire's word; `once` if there is none.
  init(_ mode: RoundingMode?) {
    switch mode {
    case .once, nil: self = .once
    case .step: self = .step
    }
  }

  /// The word on the wire.
  var mode: RoundingMode {
    switch self {
    case .once: .once
    case .step: .step
    }
  }
}

/// A page of rows: which ones of how many.
struct Page {
  private let offset: Int
  /// Rows at most.
  let limit: Int

  /// Reads the parameters of a request.
  ///
  /// - Throws: `invalid-params` if `limit` is more than `maximum`.
  init(offset: UInt64?, limit: UInt64?, default usual: UInt64, maximum: UInt64) throws(WireError) {
    let limit = limit ?? usual
    guard limit <= maximum else { throw .invalidParam("limit", "\(limit) is more than \(maximum)") }
    (self.offset, self.limit) = (Int(clamping: offset ?? 0), Int(limit))
  }

  /// The indexes of its rows if there are `count` in all.
  func indexes(of count: Int) -> Range<Int> {
    let start = min(offset, count)
    return start..<start + min(limit, count - start)
  }
}

extension StringProtocol {
  /// The first code points, for a message: a single character may have thousands of them.
  func excerpt(_ scalars: Int) -> String { String(String.UnicodeScalarView(unicodeScalars.prefix(scalars))) }
}
