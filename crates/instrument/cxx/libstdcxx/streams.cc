// What libstdc++.so has as explicit specialisations for char: reading strings and lines, skipping, copying, number
// texts to floating point, files, and the character facet. Each does what the C++ standard says of it, one character at a
// time, so that every decision about a character is one of the instrumented program.
//
// Compiled with access control off: stream buffers' and facets' own members are used.
#include <cerrno>
#include <charconv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <ext/stdio_filebuf.h>
#include <fstream>
#include <istream>
#include <limits>
#include <locale>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace std {
namespace {
using Traits = char_traits<char>;
constexpr int END = -1;

// Runs `body` as an input operation: what it throws sets badbit, and is thrown on only if the stream asks for that.
template <typename Body> void guarded(istream &in, Body body) {
  try {
    body();
  } catch (__cxxabiv1::__forced_unwind &) {
    in._M_setstate(ios_base::badbit);
    throw;
  } catch (...) {
    in._M_setstate(ios_base::badbit);
  }
}

// Ends an input operation; one that took nothing has failed.
void finish(istream &in, ios_base::iostate state, bool took) {
  if (!took) state |= ios_base::failbit;
  if (state) in.setstate(state);
}

bool is_space(const ctype<char> &facet, int c) {
  return facet.is(ctype_base::space, Traits::to_char_type(c));
}

// Gives `put` the characters up to white space, at most `most`; returns how many.
template <typename Put> streamsize word(istream &in, streamsize most, ios_base::iostate &state, Put put) {
  const ctype<char> &facet = use_facet<ctype<char>>(in.getloc());
  streambuf *buffer = in.rdbuf();
  streamsize taken = 0;
  int c = buffer->sgetc();
  while (taken < most && c != END && !is_space(facet, c)) {
    put(Traits::to_char_type(c));
    ++taken;
    c = buffer->snextc();
  }
  if (taken < most && c == END) state |= ios_base::eofbit;
  in.width(0);
  return taken;
}

// Gives `put` the characters up to the delimiter, which is taken too, at most `most`; counts all in `taken`.
template <typename Put>
void line_of(istream &in, streamsize most, char delimiter, ios_base::iostate &state, streamsize &taken, Put put) {
  const int stop = Traits::to_int_type(delimiter);
  streambuf *buffer = in.rdbuf();
  int c = buffer->sgetc();
  while (taken < most && c != END && c != stop) {
    put(Traits::to_char_type(c));
    ++taken;
    c = buffer->snextc();
  }
  if (c == END) {
    state |= ios_base::eofbit;
  } else if (c == stop) {
    ++taken;
    buffer->sbumpc();
  } else {
    state |= ios_base::failbit;
  }
}
} // namespace

template <> istream &operator>>(istream &in, string &text) {
  ios_base::iostate state = ios_base::goodbit;
  streamsize taken = 0;
  if (istream::sentry ok(in, false); ok) {
    guarded(in, [&] {
      text.clear();
      const streamsize most = in.width() > 0 ? in.width() : static_cast<streamsize>(text.max_size());
      taken = word(in, most, state, [&](char c) { text.push_back(c); });
    });
  }
  finish(in, state, taken);
  return in;
}

void __istream_extract(istream &in, char *to, streamsize room) {
  ios_base::iostate state = ios_base::goodbit;
  streamsize taken = 0;
  if (istream::sentry ok(in, false); ok) {
    guarded(in, [&] {
      const streamsize most = (in.width() > 0 && in.width() < room ? in.width() : room) - 1;
      taken = word(in, most, state, [&](char c) { *to++ = c; });
      *to = 0;
    });
  }
  finish(in, state, taken);
}

template <> istream &getline(istream &in, string &line, char delimiter) {
  ios_base::iostate state = ios_base::goodbit;
  streamsize taken = 0;
  if (istream::sentry ok(in, true); ok) {
    guarded(in, [&] {
      line.clear();
      const streamsize most = static_cast<streamsize>(line.max_size());
      line_of(in, most, delimiter, state, taken, [&](char c) { line.push_back(c); });
    });
  }
  finish(in, state, taken);
  return in;
}

template <> istream &istream::getline(char *to, streamsize room, char delimiter) {
  _M_gcount = 0;
  ios_base::iostate state = ios_base::goodbit;
  if (sentry ok(*this, true); ok) {
    guarded(*this, [&] { line_of(*this, room - 1, delimiter, state, _M_gcount, [&](char c) { *to++ = c; }); });
  }
  if (room > 0) *to = 0;
  finish(*this, state, _M_gcount);
  return *this;
}

namespace {
// Skips up to `most` characters (all, if it is the largest number there is), the last of them `stop`.
void skip(istream &in, streamsize most, int stop) {
  constexpr streamsize all = numeric_limits<streamsize>::max();
  in._M_gcount = 0;
  istream::sentry ok(in, true);
  if (!ok || most <= 0) return;
  ios_base::iostate state = ios_base::goodbit;
  guarded(in, [&] {
    streambuf *buffer = in.rdbuf();
    int c = buffer->sgetc();
    while (in._M_gcount < most && c != END && (stop == END || c != stop)) {
      ++in._M_gcount;
      c = buffer->snextc();
    }
    if (in._M_gcount == most && most != all) return;
    if (c == END) {
      state |= ios_base::eofbit;
    } else {
      ++in._M_gcount;
      buffer->sbumpc();
    }
  });
  if (state) in.setstate(state);
}
} // namespace

template <> istream &istream::ignore(streamsize most) {
  if (most == 1) return ignore();
  skip(*this, most, END);
  return *this;
}

template <> istream &istream::ignore(streamsize most, int delimiter) {
  skip(*this, most, delimiter);
  return *this;
}

template <> streamsize __copy_streambufs_eof(streambuf *from, streambuf *to, bool &at_end) {
  streamsize copied = 0;
  at_end = true;
  for (int c = from->sgetc(); c != END; c = from->snextc()) {
    if (to->sputc(Traits::to_char_type(c)) == END) {
      at_end = false;
      break;
    }
    ++copied;
  }
  return copied;
}

namespace {
// The text of a number as num_get has gathered it, to its value; `read` is the C library's function.
template <typename T, typename Read> void convert(const char *text, T &value, ios_base::iostate &state, Read read) {
  char *end;
  value = read(text, &end);
  if (end == text || *end) {
    value = 0;
    state = ios_base::failbit;
  } else if (value == numeric_limits<T>::infinity()) {
    value = numeric_limits<T>::max();
    state = ios_base::failbit;
  } else if (value == -numeric_limits<T>::infinity()) {
    value = -numeric_limits<T>::max();
    state = ios_base::failbit;
  }
}
} // namespace

template <> void __convert_to_v(const char *s, float &v, ios_base::iostate &state, const __c_locale &) noexcept {
  convert(s, v, state, strtof);
}
template <> void __convert_to_v(const char *s, double &v, ios_base::iostate &state, const __c_locale &) noexcept {
  convert(s, v, state, strtod);
}
template <> void __convert_to_v(const char *s, long double &v, ios_base::iostate &state, const __c_locale &) noexcept {
  convert(s, v, state, strtold);
}

// Files: opened and read by the C library's functions, which the runtime follows.
namespace {
const char *mode_text(ios_base::openmode mode) {
  using i = ios_base;
  switch (static_cast<int>(mode & (i::in | i::out | i::trunc | i::app | i::binary))) {
  case i::out: case i::out | i::trunc: return "w";
  case i::out | i::app: case i::app: return "a";
  case i::in: return "r";
  case i::in | i::out: return "r+";
  case i::in | i::out | i::trunc: return "w+";
  case i::in | i::out | i::app: case i::in | i::app: return "a+";
  case i::out | i::binary: case i::out | i::trunc | i::binary: return "wb";
  case i::out | i::app | i::binary: case i::app | i::binary: return "ab";
  case i::in | i::binary: return "rb";
  case i::in | i::out | i::binary: return "r+b";
  case i::in | i::out | i::trunc | i::binary: return "w+b";
  case i::in | i::out | i::app | i::binary: case i::in | i::app | i::binary: return "a+b";
  default: return nullptr;
  }
}
} // namespace

__basic_file<char> *__basic_file<char>::open(const char *name, ios_base::openmode mode, int) {
  const char *text = mode_text(mode);
  if (!text || is_open()) return nullptr;
  FILE *file = fopen64(name, text);
  if (!file) return nullptr;
  _M_cfile = file;
  _M_cfile_created = true;
  return this;
}

streamsize __basic_file<char>::xsgetn(char *to, streamsize n) {
  streamsize got;
  do got = ::read(fileno(_M_cfile), to, n);
  while (got == -1 && errno == EINTR);
  return got;
}

// The character facet.
char ctype<char>::do_toupper(char c) const { return static_cast<char>(_M_toupper[static_cast<unsigned char>(c)]); }
char ctype<char>::do_tolower(char c) const { return static_cast<char>(_M_tolower[static_cast<unsigned char>(c)]); }
const char *ctype<char>::do_toupper(char *from, const char *to) const {
  for (; from < to; ++from) *from = do_toupper(*from);
  return to;
}
const char *ctype<char>::do_tolower(char *from, const char *to) const {
  for (; from < to; ++from) *from = do_tolower(*from);
  return to;
}

// Collation: the texts themselves, as in the C locale; other locales as their own functions say.
template <> int collate<char>::_M_compare(const char *a, const char *b) const noexcept {
  const int order = strcoll(a, b);
  return (order > 0) - (order < 0);
}
template <> size_t collate<char>::_M_transform(char *to, const char *from, size_t room) const noexcept {
  const size_t length = strlen(from);
  if (strcmp(setlocale(LC_COLLATE, nullptr), "C") != 0) return strxfrm(to, from, room);
  if (room) {
    const size_t n = length < room ? length : room - 1;
    memcpy(to, from, n);
    to[n] = 0;
  }
  return length;
}

// Numbers by std::from_chars: the longest prefix that has the form of a number, in the C locale.
namespace {
bool is_digit(char c, bool hex) {
  return (c >= '0' && c <= '9') || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

const char *spelled(const char *p, const char *end, const char *name) {
  for (; *name; ++name, ++p)
    if (p == end || (*p | 0x20) != *name) return nullptr;
  return p;
}

// End of a number's text at `p` (behind its sign), or `p` itself.
const char *number_end(const char *p, const char *end, chars_format format) {
  if (const char *after = spelled(p, end, "inf")) {
    const char *longer = spelled(p, end, "infinity");
    return longer ? longer : after;
  }
  if (const char *after = spelled(p, end, "nan")) {
    if (after == end || *after != '(') return after;
    const char *q = after + 1;
    while (q != end && (is_digit(*q, false) || *q == '_' || ((*q | 0x20) >= 'a' && (*q | 0x20) <= 'z'))) ++q;
    return q != end && *q == ')' ? q + 1 : after;
  }
  const bool hex = format == chars_format::hex;
  const char *q = p;
  unsigned digits = 0;
  for (; q != end && is_digit(*q, hex); ++q) ++digits;
  if (q != end && *q == '.')
    for (++q; q != end && is_digit(*q, hex); ++q) ++digits;
  if (!digits) return p;
  const bool optional = (format & chars_format::fixed) != chars_format{} || hex;
  const bool wanted = (format & chars_format::scientific) != chars_format{} || hex;
  if (!wanted) return q;
  if (q != end && (*q | 0x20) == (hex ? 'p' : 'e')) {
    const char *e = q + 1;
    if (e != end && (*e == '+' || *e == '-')) ++e;
    if (e != end && is_digit(*e, false)) {
      while (e != end && is_digit(*e, false)) ++e;
      return e;
    }
  }
  return optional ? q : p;
}

template <typename T, typename Read>
from_chars_result floating(const char *first, const char *last, T &value, chars_format format, Read read) {
  const char *start = first != last && *first == '-' ? first + 1 : first;
  const char *end = number_end(start, last, format);
  if (end == start) return {first, errc::invalid_argument};
  string text;
  if (start != first) text.push_back('-');
  if (format == chars_format::hex && is_digit(*start, true)) text.append("0x");
  text.append(start, end);
  const int before = errno;
  errno = 0;
  const T result = read(text.c_str(), nullptr);
  const bool range = errno == ERANGE && (result == 0 || result - result != 0);
  errno = before;
  if (range) return {end, errc::result_out_of_range};
  value = result;
  return {end, errc{}};
}
} // namespace

from_chars_result from_chars(const char *first, const char *last, float &v, chars_format f) noexcept {
  return floating(first, last, v, f, strtof);
}
from_chars_result from_chars(const char *first, const char *last, double &v, chars_format f) noexcept {
  return floating(first, last, v, f, strtod);
}
from_chars_result from_chars(const char *first, const char *last, long double &v, chars_format f) noexcept {
  return floating(first, last, v, f, strtold);
}
} // namespace std

// Members that the headers have inline; as symbols, because the headers use them too.
using Facet = std::ctype<char>;
extern "C" char _ZNKSt5ctypeIcE5widenEc(const Facet *facet, char c) { return facet->do_widen(c); }
extern "C" char _ZNKSt5ctypeIcE6narrowEcc(const Facet *facet, char c, char other) { return facet->do_narrow(c, other); }
extern "C" char _ZNKSt5ctypeIcE8do_widenEc(const Facet *, char c) { return c; }
extern "C" char _ZNKSt5ctypeIcE9do_narrowEcc(const Facet *, char c, char) { return c; }
extern "C" const char *_ZNKSt5ctypeIcE8do_widenEPKcS2_Pc(const Facet *, const char *from, const char *to, char *out) {
  memcpy(out, from, to - from);
  return to;
}
extern "C" const char *_ZNKSt5ctypeIcE9do_narrowEPKcS2_cPc(const Facet *, const char *from, const char *to, char, char *out) {
  memcpy(out, from, to - from);
  return to;
}

// Messages of exceptions: the library's constructor copies them, and this once more, with their symbols. As symbols,
// because the string in which the message lies can only be made by the library.
#define MESSAGES(CLASS)                                                                            \
  static void construct(std::exception *made, const char *message) {                               \
    using Constructor = void (*)(std::exception *, const char *);                                  \
    static Constructor real = reinterpret_cast<Constructor>(dlsym(RTLD_NEXT, "_ZNSt" #CLASS "C2EPKc")); \
    real(made, message);                                                                           \
    memcpy(const_cast<char *>(made->what()), message, strlen(message) + 1);                        \
  }                                                                                                \
  extern "C" void _ZNSt##CLASS##C1EPKc(std::exception *made, const char *m) { construct(made, m); } \
  extern "C" void _ZNSt##CLASS##C2EPKc(std::exception *made, const char *m) { construct(made, m); } \
  extern "C" void _ZNSt##CLASS##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(          \
      std::exception *made, const std::string &m) {                                                \
    construct(made, m.c_str());                                                                    \
  }                                                                                                \
  extern "C" void _ZNSt##CLASS##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(          \
      std::exception *made, const std::string &m) {                                                \
    construct(made, m.c_str());                                                                    \
  }
namespace of_runtime_error {
MESSAGES(13runtime_error)
}
namespace of_logic_error {
MESSAGES(11logic_error)
}
