import Testing

@Suite struct CitiesTestsPlaceholder {}
