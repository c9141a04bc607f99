import Testing

@Suite struct CitiesClientTestsPlaceholder {}
