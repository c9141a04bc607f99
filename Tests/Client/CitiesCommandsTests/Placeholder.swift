import Testing

@Suite struct CitiesCommandsTestsPlaceholder {}
