import Testing

@Suite struct CitiesServerTestsPlaceholder {}
