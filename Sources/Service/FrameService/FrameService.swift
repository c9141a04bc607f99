// FrameService: not written yet.
