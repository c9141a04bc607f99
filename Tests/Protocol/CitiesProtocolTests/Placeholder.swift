import Testing

@Suite struct CitiesProtocolTestsPlaceholder {}
