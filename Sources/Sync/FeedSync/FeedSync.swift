// FeedSync: not written yet.
