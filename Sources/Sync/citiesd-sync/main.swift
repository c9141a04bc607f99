// Runs the command named by the arguments, and exits with its code.

import Glibc
import System

ProcessSettings.reportFileSizeLimit()
ProcessSettings.returnLargeMemory()
exit(Program.perform(Array(CommandLine.arguments.dropFirst())).rawValue)
