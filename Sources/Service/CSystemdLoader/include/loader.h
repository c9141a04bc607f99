// Opens libsystemd at run time.
#pragma once
#include "../../CSystemd/systemd.h"

// Opens libsystemd and fills the table with its functions; returns NULL, or the reason if the library or one of the
// functions is missing. The library stays open until the process ends.
const char *systemd_loaded(struct systemd_calls *calls);
