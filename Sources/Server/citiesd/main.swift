import FrameService
import Glibc
import System

exit(Daemon.main(Array(CommandLine.arguments.dropFirst())).rawValue)
