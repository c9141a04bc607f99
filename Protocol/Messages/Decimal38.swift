public import CBOR

/// An exact amount or rate on the wire: a decimal fraction of up to 38 digits (RFC 8949 §3.4.4, tag 4).
///
/// Numbers from a source keep their written scale; totals and converted amounts have the places of their
/// currency.
public typealias Decimal38 = CBORDecimal
