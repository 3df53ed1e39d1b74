// A server for short notes, as a program that reacts: a line protocol with states, a login, a mode in which lines are text,
// and a few display modes. One client at a time, from standard input; with -DSOCKET over TCP on the loopback address
// (port: first argument, 7007 without); with -DVALUES each byte is a value asked for by spelunk.h, without end.
//
//   HELLO who          who is calling; everything else comes after it
//   USER name          then PASS word; three wrong words end the session
//   NEW title          lines of text follow, up to a line with a single "."
//   LIST, SHOW n       titles; the text of one note, as MODE says
//   MODE PLAIN | NUMBERED | QUIET
//   JOIN n m           appends the text of note m to note n
//   QUOTE n            a new note with the lines of note n, each after "> "
//   DROP n, LOGOUT, QUIT
//
// It has one planted mistake, in QUOTE (see there): it needs a login, a note that is nearly full, and that command.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef VALUES
#include <spelunk.h>
#endif
#ifdef SOCKET
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

enum { LINE = 80, NAME = 16, TITLE = 24, TEXT = 512, NOTES = 8, TRIES = 3 };
enum state { START, GREETED, NAMED, READY, WRITING, CLOSED };
enum mode { PLAIN, NUMBERED, QUIET };

struct note {
  char title[TITLE];
  size_t length;
  int lines;
  char text[TEXT];
  struct note *next;
};

struct account {
  const char *name, *word;
  int may_write;
};

static const struct account accounts[] = {{"guest", "guest", 0}, {"ruth", "heron", 1}, {"admin", "x91-b", 1}};

struct session {
  enum state state;
  enum mode mode;
  const struct account *account;
  char caller[NAME];
  int wrong_words;
};

static struct note *notes;
static struct session session;

// ---- the line -------------------------------------------------------------------------------------------------------

static int peer_out = 1;
#ifndef VALUES
static int peer_in = 0;
static char chunk[64];
static size_t chunk_at, chunk_length;
#endif

static void reply(const char *format, ...) {
  char text[TEXT + LINE];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(text, sizeof text - 1, format, values);
  va_end(values);
  if (length < 0) return;
  if (length > (int)sizeof text - 2) length = sizeof text - 2;
  text[length++] = '\n';
#ifdef SOCKET
  send(peer_out, text, length, MSG_NOSIGNAL);
#else
  if (write(peer_out, text, length) < 0) session.state = CLOSED;
#endif
}

/// The next byte the client sent; -1 when it is gone.
static int next_byte(void) {
#ifdef VALUES
  return spelunk_uchar("byte");
#else
  if (chunk_at == chunk_length) {
#ifdef SOCKET
    ssize_t got = recv(peer_in, chunk, sizeof chunk, 0);
#else
    ssize_t got = read(peer_in, chunk, sizeof chunk);
#endif
    if (got <= 0) return -1;
    chunk_at = 0;
    chunk_length = (size_t)got;
  }
  return (unsigned char)chunk[chunk_at++];
#endif
}

/// Reads a line without its end; what does not fit is dropped. 0 when the client is gone.
static int next_line(char line[LINE]) {
  size_t length = 0;
  for (;;) {
    int c = next_byte();
    if (c < 0) return 0;
    if (c == '\n') break;
    if (length < LINE - 1) line[length++] = (char)c;
  }
  if (length && line[length - 1] == '\r') length--;
  line[length] = 0;
  return 1;
}

// ---- notes ----------------------------------------------------------------------------------------------------------

static int count_notes(void) {
  int count = 0;
  for (struct note *n = notes; n; n = n->next) count++;
  return count;
}

/// Note `number`, counted from 1, the newest first.
static struct note *find_note(int number) {
  struct note *n = notes;
  while (n && number > 1) {
    n = n->next;
    number--;
  }
  return number == 1 ? n : NULL;
}

static struct note *add_note(const char *title) {
  if (count_notes() >= NOTES) {
    reply("452 no room for another note");
    return NULL;
  }
  struct note *note = calloc(1, sizeof *note);
  if (!note) exit(1);
  strncpy(note->title, title, TITLE - 1);
  note->next = notes;
  notes = note;
  return note;
}

/// Adds a line to a note, cut to the room there is.
static int append(struct note *note, const char *line, size_t length) {
  size_t room = TEXT - 1 - note->length;
  if (room == 0) return 0;
  if (length > room - 1) length = room - 1;
  memcpy(note->text + note->length, line, length);
  note->length += length;
  note->text[note->length++] = '\n';
  note->text[note->length] = 0;
  note->lines++;
  return 1;
}

static void drop_note(struct note *note) {
  struct note **at = &notes;
  while (*at != note) at = &(*at)->next;
  *at = note->next;
  free(note);
}

// ---- commands -------------------------------------------------------------------------------------------------------

/// A number from 1 to 99 at `*text`, which moves behind it and the spaces that follow; 0 where there is none.
static int number(char **text) {
  int value = 0, digits = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    value = value * 10 + (**text - '0');
    if (++digits > 2) return 0;
  }
  while (**text == ' ') ++*text;
  return value;
}

static int is_name(const char *text) {
  size_t length = strlen(text);
  if (length == 0 || length >= NAME) return 0;
  for (; *text; text++)
    if (!((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9') || *text == '-')) return 0;
  return 1;
}

/// The note that a command names; complains when there is none.
static struct note *named_note(char **rest) {
  struct note *note = find_note(number(rest));
  if (!note) reply("550 no such note");
  return note;
}

static void hello(char *rest) {
  if (session.state != START) {
    reply("503 we have met, %s", session.caller);
  } else if (!is_name(rest)) {
    reply("501 who?");
  } else {
    strcpy(session.caller, rest);
    session.state = GREETED;
    reply("250 hello %s", session.caller);
  }
}

static void user(char *rest) {
  if (session.state != GREETED && session.state != NAMED) {
    reply("503 not now");
    return;
  }
  for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++) {
    if (strcmp(accounts[i].name, rest) == 0) {
      session.account = &accounts[i];
      session.state = NAMED;
      reply("331 and the word, %s?", rest);
      return;
    }
  }
  reply("530 not known here");
}

static void pass(char *rest) {
  if (session.state != NAMED) {
    reply("503 USER first");
  } else if (strcmp(session.account->word, rest) == 0) {
    session.state = READY;
    reply("230 welcome, %d notes", count_notes());
  } else {
    reply("530 no");
    if (++session.wrong_words == TRIES) session.state = CLOSED;
  }
}

static void new_note(char *rest) {
  if (!session.account->may_write) {
    reply("550 guests read");
  } else if (*rest == 0) {
    reply("501 a title, please");
  } else if (add_note(rest)) {
    session.state = WRITING;
    reply("354 end with a single dot");
  }
}

static void write_line(const char *line) {
  if (strcmp(line, ".") == 0) {
    session.state = READY;
    reply("250 %d lines", notes->lines);
  } else if (!append(notes, line, strlen(line))) {
    reply("552 full");
  }
}

static void list(char *rest) {
  int i = 1;
  if (*rest) reply("504 all of them");
  for (struct note *n = notes; n; n = n->next) reply("211-%d %s (%d)", i++, n->title, n->lines);
  reply("211 %d in all", i - 1);
}

static void show(char *rest) {
  struct note *note = named_note(&rest);
  if (!note) return;
  if (session.mode == QUIET) {
    reply("220 %zu bytes", note->length);
  } else if (session.mode == PLAIN) {
    reply("220 %s", note->text);
  } else {
    int i = 1;
    for (const char *line = note->text; *line; line = strchr(line, '\n') + 1)
      reply("220-%d %.*s", i++, (int)(strchr(line, '\n') - line), line);
    reply("220 end");
  }
}

static void mode(char *rest) {
  static const char *const names[] = {"PLAIN", "NUMBERED", "QUIET"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(rest, names[i]) == 0) {
      session.mode = (enum mode)i;
      reply("200 %s", names[i]);
      return;
    }
  }
  reply("504 PLAIN, NUMBERED or QUIET");
}

static void join(char *rest) {
  struct note *to = named_note(&rest), *from = to ? named_note(&rest) : NULL;
  if (!session.account->may_write) {
    reply("550 guests read");
  } else if (to && from == to) {
    reply("553 with itself?");
  } else if (from) {
    const char *line = from->text;
    for (int i = 0; i < from->lines; i++) {
      const char *end = strchr(line, '\n');
      if (!append(to, line, (size_t)(end - line))) {
        reply("552 full");
        return;
      }
      line = end + 1;
    }
    reply("250 joined, %d lines", to->lines);
  }
}

/// The mistake: what fits into one note is taken to fit into another, and "> " comes before each line. A note that is full to
/// within a few bytes, or has very many lines, runs over the end of the quote's text, into the link to the next note.
static void quote(char *rest) {
  struct note *from = named_note(&rest), *to = from ? add_note(from->title) : NULL;
  if (!to) return;
  const char *line = from->text;
  for (int i = 0; i < from->lines; i++) {
    size_t length = (size_t)(strchr(line, '\n') - line) + 1;
    memcpy(to->text + to->length, "> ", 2);
    memcpy(to->text + to->length + 2, line, length);
    to->length += length + 2;
    to->lines++;
    line += length;
  }
  reply("250 quoted, %d notes", count_notes());
}

static void drop(char *rest) {
  struct note *note = named_note(&rest);
  if (!session.account->may_write) {
    reply("550 guests read");
  } else if (note) {
    drop_note(note);
    reply("250 %d left", count_notes());
  }
}

static void logout(char *rest) {
  (void)rest;
  reply("250 goodbye %s", session.account->name);
  session.account = NULL;
  session.state = GREETED;
}

static void quit(char *rest) {
  (void)rest;
  reply("221 bye");
  session.state = CLOSED;
}

static const struct command {
  const char *name;
  void (*run)(char *rest);
  int needs_login;
} commands[] = {
    {"HELLO", hello, 0}, {"USER", user, 0}, {"PASS", pass, 0}, {"QUIT", quit, 0},   {"NEW", new_note, 1},  {"LIST", list, 1},
    {"SHOW", show, 1},   {"MODE", mode, 1}, {"JOIN", join, 1}, {"QUOTE", quote, 1}, {"DROP", drop, 1}, {"LOGOUT", logout, 1},
};

static void obey(char *line) {
  char *rest = line + strcspn(line, " ");
  while (*rest == ' ') *rest++ = 0;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(line, commands[i].name) != 0) continue;
    if (commands[i].needs_login && session.state != READY)
      reply("530 log in first");
    else
      commands[i].run(rest);
    return;
  }
  reply("500 what?");
}

static void serve(void) {
  char line[LINE];
  session = (struct session){.state = START};
#ifndef VALUES
  chunk_at = chunk_length = 0;
#endif
  reply("220 notes");
  while (session.state != CLOSED && next_line(line)) {
    if (session.state == WRITING)
      write_line(line);
    else
      obey(line);
  }
}

#ifdef SOCKET
int main(int argc, char **argv) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? (unsigned short)atoi(argv[1]) : 7007)};
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (listener < 0 || bind(listener, (struct sockaddr *)&here, sizeof here) < 0 || listen(listener, 4) < 0) {
    perror("server");
    return 1;
  }
  for (;;) {
    peer_in = peer_out = accept(listener, NULL, NULL);
    if (peer_in < 0) break;
    serve();
    close(peer_in);
  }
  return 0;
}
#else
int main(void) {
  serve();
  while (notes) drop_note(notes);
  return 0;
}
#endif
