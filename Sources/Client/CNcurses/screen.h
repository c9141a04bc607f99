// ncursesw as the browser uses it, and the signals of a full-screen program, as static inline wrappers.
//
// The raw header does not import: its calls are variadic or macros, and its globals (stdscr, LINES) do not pass
// strict concurrency checks. Wrappers return what their call returns.
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

// A screen on a terminal that is open for reading and writing; NULL if TERM is not known.
static inline SCREEN *screen_open(const char *type, int descriptor) {
  FILE *output = fdopen(dup(descriptor), "w"), *input = fdopen(dup(descriptor), "r");
  if (!output || !input) return NULL;
  return newterm(type, output, input);
}

// Keys one by one and unechoed; Ctrl-C and Ctrl-Z stay signals. Without a sequence within 25 ms, Escape is a key of its
// own.
static inline void screen_prepare(int mouse) {
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  leaveok(stdscr, FALSE);
  set_escdelay(25);
  // Terminals that send other sequences for these keys than TERM says are common.
  define_key("\033[1~", KEY_HOME);
  define_key("\033[H", KEY_HOME);
  define_key("\033OH", KEY_HOME);
  define_key("\033[4~", KEY_END);
  define_key("\033[F", KEY_END);
  define_key("\033OF", KEY_END);
  if (mouse) {
    mouseinterval(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED | REPORT_MOUSE_POSITION, NULL);
  }
}

// Takes `part` without its first `kept` bytes out of the description's capability `name`, in place: the description is
// this process's own copy.
static inline void screen_shorten(const char *name, const char *part, size_t kept) {
  char *text = tigetstr(name), *found = text == NULL || text == (char *)-1 ? NULL : strstr(text, part);
  if (found) memmove(found + kept, found + strlen(part), strlen(found + strlen(part)) + 1);
}

// Spares bytes at each change of attributes, several hundred per key: the return from the alternate character set,
// which this program never enters, and a zero that is the default of its parameter (ECMA-48 §8.3.117).
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

// Whether the terminal can do what a full screen needs: place its cursor and erase.
static inline int screen_is_capable(void) { return tigetstr("cup") != NULL && tigetstr("cup") != (char *)-1; }

// A capability of the terminal as the text to be sent; NULL if it has none.
static inline const char *screen_capability(const char *name) {
  char *text = tigetstr(name);
  return text == (char *)-1 ? NULL : text;
}

// ---- colours -------------------------------------------------------------------------------------------------------

// Begins to use colours on the terminal's own background; how many there are, 0 if none.
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

static inline void screen_erase(void) { werase(stdscr); }
static inline void screen_put(int row, int column, const char *text, int bytes, uint32_t attributes, short pair) {
  wattr_set(stdscr, attributes, pair, NULL);
  mvwaddnstr(stdscr, row, column, text, bytes);
}
static inline void screen_show_cursor(int row, int column) {
  curs_set(1);
  wmove(stdscr, row, column);
}
static inline void screen_hide_cursor(void) { curs_set(0); }
// Sends what differs from what the terminal shows.
static inline void screen_update(void) {
  wnoutrefresh(stdscr);
  doupdate();
}
// The next update sets the terminal's modes and sends everything: what they are and what it shows is not known.
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
  // A key of the terminal's own (KEY_UP …), if not 0; else a character.
  int code;
  uint32_t character;
  // Of the mouse: what happened (1 pressed, 2 wheel up, 3 wheel down, 4 moved while pressed, 0 something else) and
  // where.
  int button;
  int row;
  int column;
};

// The next key; 0 if there is none.
static inline int screen_next_key(struct screen_key *key) {
  wint_t read = 0;
  MEVENT event;
  int kind = wget_wch(stdscr, &read);
  memset(key, 0, sizeof *key);
  if (kind == ERR) return 0;
  if (kind != KEY_CODE_YES) {
    key->character = (uint32_t)read;
    return 1;
  }
  key->code = (int)read;
  if (read == KEY_MOUSE && getmouse(&event) == OK) {
    key->row = event.y;
    key->column = event.x;
    if (event.bstate & BUTTON1_PRESSED) key->button = 1;
    if (event.bstate & BUTTON4_PRESSED) key->button = 2;
    if (event.bstate & BUTTON5_PRESSED) key->button = 3;
    if (event.bstate & REPORT_MOUSE_POSITION) key->button = 4;
  }
  return 1;
}

static const int screen_key_up = KEY_UP, screen_key_down = KEY_DOWN, screen_key_left = KEY_LEFT,
                 screen_key_right = KEY_RIGHT, screen_key_home = KEY_HOME, screen_key_end = KEY_END,
                 screen_key_page_up = KEY_PPAGE, screen_key_page_down = KEY_NPAGE, screen_key_enter = KEY_ENTER,
                 screen_key_backspace = KEY_BACKSPACE, screen_key_delete = KEY_DC, screen_key_back_tab = KEY_BTAB,
                 screen_key_mouse = KEY_MOUSE, screen_key_function = KEY_F0;

// ---- the locale ----------------------------------------------------------------------------------------------------

// Takes the user's character set, that of C.UTF-8 where the locale is not on this machine; whether it is UTF-8.
static inline int screen_use_locale(void) {
  if (!setlocale(LC_CTYPE, "")) setlocale(LC_CTYPE, "C.UTF-8");
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

// ---- signals -------------------------------------------------------------------------------------------------------

// Stops this process as the terminal's suspend key would without us; returns when it is continued.
static inline void screen_stop(void) {
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
}
