// Composes and runs: what is given on the command line becomes one command, and its result an exit code.

import FrameService
import Glibc

exit(Program.perform(Array(CommandLine.arguments.dropFirst())).rawValue)
