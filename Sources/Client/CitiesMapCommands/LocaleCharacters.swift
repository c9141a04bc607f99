internal import CitiesMap

extension MapCharacters {
  /// Braille where the locale says UTF-8, else ASCII.
  ///
  /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty decides (POSIX, "Environment Variables"); without any
  /// it is the POSIX locale, which knows ASCII alone.
  init(environment: (String) -> String?) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    let codeset = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" }.lowercased() ?? ""
    self = codeset == "utf-8" || codeset == "utf8" ? .braille : .ascii
  }
}
