import CitiesServer
import FrameService
import Glibc
import Logging

exit(Daemon.main(Array(CommandLine.arguments.dropFirst())).rawValue)
