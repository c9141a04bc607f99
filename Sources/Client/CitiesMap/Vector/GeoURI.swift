import Base
internal import CBOR
package import CitiesProtocol

/// A place as a `geo:` URI (RFC 5870): `geo:59.43696,24.75353`, in WGS 84, which is the default.
package func geoURI(_ position: Position) -> String {
  // At a pole every longitude is the same; RFC 5870 §3.4.2 wants it to be written 0.
  let lon = abs(position.lat) == 90 ? 0 : position.lon
  return "geo:\(decimalText(position.lat)),\(decimalText(lon))"
}
