// Static inline wrappers of ncursesw, as far as the browser uses it, and of a full-screen program's signals.
//
// Swift cannot import ncurses.h itself: its calls are variadic or macros, and its globals (stdscr, LINES) fail strict
// concurrency checks. Wrappers return what their call returns.
#pragma once
#define NCURSES_WIDECHAR 1
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
// term.h defines capabilities as macros with everyday names.
#undef columns
#undef lines

// ---- opening and closing -------------------------------------------------------------------------------------------

// A screen on a terminal that is open for reading and writing; NULL if TERM is unknown.
static inline SCREEN *screen_open(const char *type, int descriptor) {
  FILE *output = fdopen(dup(descriptor), "w"), *input = fdopen(dup(descriptor), "r");
  if (!output || !input) return NULL;
  return newterm(type, output, input);
}

// Unbuffered keys without echo; Ctrl-C and Ctrl-Z still send signals. Escape is a key of its own if no sequence follows
// within 25 ms.
static inline void screen_prepare(int mouse) {
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  leaveok(stdscr, FALSE);
  set_escdelay(25);
  // Many terminals send other sequences for these keys than TERM says.
  define_key("\033[1~", KEY_HOME);
  define_key("\033[H", KEY_HOME);
  define_key("\033OH", KEY_HOME);
  define_key("\033[4~", KEY_END);
  define_key("\033[F", KEY_END);
  define_key("\033OF", KEY_END);
  // What encloses pasted text (xterm's mode 2004).
  define_key("\033[200~", KEY_MAX - 1);
  define_key("\033[201~", KEY_MAX - 2);
  if (mouse) {
    mouseinterval(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED | REPORT_MOUSE_POSITION, NULL);
  }
}

// Removes `part` except its first `kept` bytes from the capability `name`, in place: the description is this process's
// own copy.
static inline void screen_shorten(const char *name, const char *part, size_t kept) {
  char *text = tigetstr(name), *found = text == NULL || text == (char *)-1 ? NULL : strstr(text, part);
  if (found) memmove(found + kept, found + strlen(part), strlen(found + strlen(part)) + 1);
}

// Saves several hundred bytes per key by shorter changes of attributes: without the return from the alternate character
// set, which this program never enters, and without a zero that is the parameter's default (ECMA-48 §8.3.117).
static inline void screen_spare_bytes(void) {
  screen_shorten("sgr", "%?%p9%t\033(0%e\033(B%;", 0);
  screen_shorten("sgr", "\033[0", 2);
  screen_shorten("sgr0", "\033(B", 0);
}

static inline void screen_suspend(void) { endwin(); }
static inline void screen_close(SCREEN *screen) {
  endwin();
  delscreen(screen);
}

// Whether the terminal can show a full screen, that is, place its cursor.
static inline int screen_is_capable(void) { return tigetstr("cup") != NULL && tigetstr("cup") != (char *)-1; }

// A capability of the terminal as the text to send; NULL if it does not have it.
static inline const char *screen_capability(const char *name) {
  char *text = tigetstr(name);
  return text == (char *)-1 ? NULL : text;
}

// ---- colours -------------------------------------------------------------------------------------------------------

// Starts to use colours on the terminal's default background; returns their number, 0 without colours.
static inline int screen_start_colours(void) {
  if (!has_colors() || start_color() == ERR || use_default_colors() == ERR) return 0;
  return COLORS;
}
static inline void screen_define_colour(short pair, short foreground) { init_pair(pair, foreground, -1); }

static const uint32_t screen_bold = A_BOLD;
static const uint32_t screen_dim = A_DIM;
static const uint32_t screen_underlined = A_UNDERLINE;
static const uint32_t screen_reversed = A_REVERSE;

// ---- drawing -------------------------------------------------------------------------------------------------------

static inline void screen_put(int row, int column, const char *text, int bytes, uint32_t attributes, short pair) {
  wattr_set(stdscr, attributes, pair, NULL);
  mvwaddnstr(stdscr, row, column, text, bytes);
}
static inline void screen_show_cursor(int row, int column) {
  curs_set(1);
  wmove(stdscr, row, column);
}
static inline void screen_hide_cursor(void) { curs_set(0); }
// Sends the changes.
static inline void screen_update(void) {
  wnoutrefresh(stdscr);
  doupdate();
}
// The next update sets the terminal's modes and sends everything, because its state is unknown.
static inline void screen_forget(void) {
  reset_prog_mode();
  clearok(curscr, TRUE);
}
// The next update sends everything.
static inline void screen_redraw(void) { clearok(curscr, TRUE); }
static inline void screen_resize(int rows, int columns) { resizeterm(rows, columns); }

// ---- keys ----------------------------------------------------------------------------------------------------------

// A key as it arrived.
struct screen_key {
  // A special key (KEY_UP …), or 0 for a character.
  int code;
  uint32_t character;
  // An event of the mouse (1 pressed, 2 wheel up, 3 wheel down, 4 dragged, 0 something else) and its position.
  int button;
  int row;
  int column;
};

// Reads the next key; 0 if none was pressed.
static inline int screen_next_key(struct screen_key *key) {
  // ncurses reports mouse events that arrive together as one key. getmouse returns the latest of them first, and since
  // the patch of 2025-09-13 (in release 6.6) the oldest.
  static MEVENT events[8];
  static int count = 0, taken = 0;
  wint_t read = KEY_MOUSE;
  int kind = taken < count ? KEY_CODE_YES : wget_wch(stdscr, &read);
  if (taken == count) taken = count = 0;
  while (kind == KEY_CODE_YES && read == KEY_MOUSE && count < 8 && getmouse(&events[count]) == OK) count++;
  memset(key, 0, sizeof *key);
  if (kind == ERR) return 0;
  if (kind != KEY_CODE_YES) {
    key->character = (uint32_t)read;
    return 1;
  }
  key->code = (int)read;
  if (read == KEY_MOUSE && taken < count) {
    long patch = 0;
    sscanf(curses_version(), "ncurses %*d.%*d.%ld", &patch);
    const MEVENT *event = &events[patch < 20250913 ? count - 1 - taken : taken];
    taken++;
    key->row = event->y;
    key->column = event->x;
    if (event->bstate & BUTTON1_PRESSED) key->button = 1;
    if (event->bstate & BUTTON4_PRESSED) key->button = 2;
    if (event->bstate & BUTTON5_PRESSED) key->button = 3;
    if (event->bstate & REPORT_MOUSE_POSITION) key->button = 4;
  }
  return 1;
}

static const int screen_key_up = KEY_UP, screen_key_down = KEY_DOWN, screen_key_left = KEY_LEFT,
                 screen_key_right = KEY_RIGHT, screen_key_home = KEY_HOME, screen_key_end = KEY_END,
                 screen_key_page_up = KEY_PPAGE, screen_key_page_down = KEY_NPAGE, screen_key_enter = KEY_ENTER,
                 screen_key_backspace = KEY_BACKSPACE, screen_key_delete = KEY_DC, screen_key_back_tab = KEY_BTAB,
                 screen_key_mouse = KEY_MOUSE, screen_key_function = KEY_F0, screen_key_paste = KEY_MAX - 1,
                 screen_key_pasted = KEY_MAX - 2;

// ---- the locale ----------------------------------------------------------------------------------------------------

// Uses the user's character set, or if the locale is not installed, the one that its name says; returns whether it is
// UTF-8.
static inline int screen_use_locale(int is_utf8) {
  if (!setlocale(LC_CTYPE, "")) setlocale(LC_CTYPE, is_utf8 ? "C.UTF-8" : "C");
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

// ---- signals -------------------------------------------------------------------------------------------------------

// Stops this process as the suspend key does by default; returns when it is continued.
static inline void screen_stop(void) {
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
}
