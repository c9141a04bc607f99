// A conformance of a public type is public itself, and so must be the import of its protocol.
public import ArgumentParser
public import CitiesProtocol

extension MatchMode: ExpressibleByArgument {}
extension CitySearch.Sort: ExpressibleByArgument {}
