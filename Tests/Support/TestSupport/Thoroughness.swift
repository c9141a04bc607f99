import Glibc

/// How many cases the tests try that could try very many.
package enum Thoroughness {
  /// Whether every case is tried, as `contrib/test --all` asks for; otherwise a sample that is spread over all of them.
  package static let isFull = getenv("CITIES_TEST_ALL") != nil

  /// The number of cases to try: `all`, or the `sample` that every change must pass.
  package static func count(_ sample: Int, ofAll all: Int) -> Int { isFull ? all : sample }
}
