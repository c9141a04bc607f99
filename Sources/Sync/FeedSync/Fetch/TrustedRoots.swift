/// The certificate authorities that are trusted: the system's, and those of a file of the user's.
enum TrustedRoots {
  /// The certificates of `path` behind those of the system's file, in PEM.
  ///
  /// libcurl would take the file in the place of the system's; the system's folder of certificates it reads besides.
  ///
  /// - Throws: ``FeedError`` that names the key if there is no certificate in the file.
  static func bytes(with path: String, _ transfer: WebTransfer) throws(FeedError) -> [UInt8] {
    let own: [UInt8]
    do throws(FeedError) {
      own = try SourceFile(path: path, regularOnly: true).bytes
    } catch {
      throw FeedError(error.reason, "tls.caFile: \(error)")
    }
    guard String(decoding: own, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
      throw FeedError(.badData, "tls.caFile: \(path): there is no certificate in it; give a file in PEM")
    }
    // A machine without roots trusts the given ones alone.
    let system = transfer.systemRoots.flatMap { try? SourceFile(path: $0, regularOnly: true).bytes } ?? []
    return system + Array("\n".utf8) + own
  }
}
