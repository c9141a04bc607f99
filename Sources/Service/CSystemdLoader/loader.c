#include "loader.h"

#include <dlfcn.h>

#define LIBRARY "libsystemd.so.0"

// The note by which packaging tools find libraries that a program opens at run time: the UAPI group's "ELF dlopen metadata".
// The linker keeps sections of notes; `used` and `retain` say the same to the compiler and to other linkers.
#define NOTE_OWNER "FDO"
#define NOTE_TYPE 0x407c0c0aU
#define NOTE_TEXT                                                                                                     \
  "[{\"soname\":[\"" LIBRARY "\"],\"feature\":\"systemd\","                                                          \
  "\"description\":\"Socket activation, readiness, watchdog and the journal\",\"priority\":\"recommended\"}]"

__attribute__((used, retain, section(".note.dlopen"))) static const struct {
  uint32_t owner_size, text_size, type;
  char owner[sizeof NOTE_OWNER];
  _Alignas(uint32_t) char text[sizeof NOTE_TEXT];
} note = {sizeof NOTE_OWNER, sizeof NOTE_TEXT, NOTE_TYPE, NOTE_OWNER, NOTE_TEXT};

#define LOAD(function) (calls->function = (__typeof__(calls->function))dlsym(library, "sd_" #function))

const char *systemd_loaded(struct systemd_calls *calls) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library && LOAD(notify) && LOAD(notify_barrier) && LOAD(listen_fds_with_names) && LOAD(is_socket_unix)
      && LOAD(watchdog_enabled) && LOAD(journal_sendv))
    return NULL;
  return dlerror();
}
