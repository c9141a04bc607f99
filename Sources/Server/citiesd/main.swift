import Glibc
import System

ProcessSettings.reportFileSizeLimit()
exit(Daemon.main(Array(CommandLine.arguments.dropFirst())).rawValue)
