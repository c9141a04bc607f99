import Testing

@Suite struct FrameServiceTestsPlaceholder {}
