import Testing

@Suite struct FeedSyncTestsPlaceholder {}
