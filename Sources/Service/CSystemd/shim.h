// sd-daemon(3): activation, readiness and watchdog, without their variadic forms.
#pragma once
#include <systemd/sd-daemon.h>
