// Composes and runs: the arguments become one command, and its result an exit code.

import FrameService
import Glibc
import System

ProcessSettings.reportFileSizeLimit()
ProcessSettings.returnLargeMemory()
exit(Program.perform(Array(CommandLine.arguments.dropFirst())).rawValue)
