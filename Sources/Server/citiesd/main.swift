import FrameService
import Glibc
import System

ignoreFileSizeSignal()
exit(Daemon.main(Array(CommandLine.arguments.dropFirst())).rawValue)
