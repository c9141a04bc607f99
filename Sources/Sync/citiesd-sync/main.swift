// Composes and runs: what is given on the command line becomes one command, and its result an exit code.

import ArgumentParser
import FeedSync
import FrameService
import Glibc

// Before the first thread exists: a signal must find no thread that takes it the old way.
Signals.block()
exit(Program.perform(Array(CommandLine.arguments.dropFirst())).rawValue)
