/// One opened file that is served, or was until lately.
final class ServedGeneration<Data: ResidentData> {
  /// The data; keeps the file mapped.
  let data: Data
  /// Counts up with every file that is taken over, from 1.
  let serial: UInt64
  /// The generation, 16 hexadecimal digits.
  let name: String
  /// The same as a CBOR text, ready to be written.
  let encodedName: [UInt8]
  /// Where it was opened.
  let path: String
  /// Its place among the paths that are searched.
  let place: Int
  /// Which file that was.
  var identity: FileIdentity?

  init(_ data: Data, serial: UInt64, path: String, place: Int, identity: FileIdentity?) {
    self.data = data
    self.serial = serial
    name = "\(data.generation)"
    // Text of 16 bytes: a one-byte head.
    encodedName = [0x60 | UInt8(name.utf8.count)] + Array(name.utf8)
    self.path = path
    self.place = place
    self.identity = identity
  }

  /// Whether `other`, from a request, names this generation.
  func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
    guard other.count == encodedName.count - 1 else { return false }
    for index in 0..<other.count where other[index] != encodedName[index + 1] { return false }
    return true
  }
}
