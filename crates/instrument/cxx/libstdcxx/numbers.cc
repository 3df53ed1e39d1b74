// Numbers out of streams, so that a search over inputs has few ways to go. A decimal integer whose characters are all in
// the buffer is read by strtol, whose model in the runtime gives the value as one expression over all of them,
// however many digits there are; how many were taken is pinned. Else there is one decision per character. In a
// locale with other digits, signs or groups than C's, the header's own code does it.
//
// Compiled with access control off: facets' own members are used.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ext/stdio_sync_filebuf.h>
#include <istream>
#include <limits>
#include <locale>
#include <string>

// The value as it is in this run; a constraint that the engine may drop (the runtime has it).
extern "C" unsigned long __spelunk_pin(unsigned long);

namespace std {
namespace {
using Iterator = istreambuf_iterator<char>;
using State = ios_base::iostate;

// The same iterator under another name: what the header's templates are instantiated with here keeps their meaning.
struct Plain : Iterator {
  Plain(Iterator i) : Iterator(i) {}
};
using Generic = num_get<char, Plain>;

bool is_classic(ios_base &io) {
  __use_cache<__numpunct_cache<char>> cache;
  return !cache(io._M_getloc())->_M_allocated;
}

// The characters between two iterators, one ahead.
struct Reader {
  Iterator at, end;
  bool more;
  char c = 0;
  Reader(Iterator from, Iterator to) : at(from), end(to) { look(); }
  void look() {
    more = at != end;
    if (more) c = *at;
  }
  void next() {
    ++at;
    look();
  }
  bool is(char wanted) const { return more && c == wanted; }
};

int digit_of(char c, unsigned base) {
  const unsigned decimal = static_cast<unsigned char>(c) - '0';
  if (decimal < (base < 10 ? base : 10)) return static_cast<int>(decimal);
  const unsigned letter = (static_cast<unsigned char>(c) | 0x20) - 'a';
  return base == 16 && letter < 6 ? static_cast<int>(letter) + 10 : -1;
}

// The base that the flags and the number's beginning say; takes "0x". `zero`: a zero was taken that is a digit.
unsigned base_of(Reader &in, ios_base &io, bool &zero) {
  const ios_base::fmtflags field = io.flags() & ios_base::basefield;
  if (field == ios_base::oct) return 8;
  if (field == ios_base::dec) return 10;
  if (field != ios_base::hex && field != 0) return 10;
  const unsigned otherwise = field == ios_base::hex ? 16 : 10;
  if (!in.is('0')) return otherwise;
  in.next();
  if (in.is('x') || in.is('X')) {
    in.next();
    return 16;
  }
  zero = true;
  return field == ios_base::hex ? 16 : 8;
}

// So many digits of a base fit 63 bits, whatever they are.
unsigned safe_digits(unsigned base) { return base == 16 ? 15 : base == 8 ? 20 : 18; }

// Room for a sign, ten digits, and what shows that the number ended: every further one makes the value's expression
// dearer to solve. Longer numbers are read character by character.
constexpr int AHEAD = 12;

// Copies what the buffer has ready, up to AHEAD characters, without taking it; returns how many.
int look_ahead(streambuf *buffer, char *to) {
  if (auto *direct = dynamic_cast<__gnu_cxx::stdio_sync_filebuf<char> *>(buffer)) {
    FILE *file = direct->file();
    int n = 0, c;
    while (n < AHEAD && (c = getc(file)) != EOF) to[n++] = static_cast<char>(c);
    for (int k = n; k-- > 0;) ungetc(static_cast<unsigned char>(to[k]), file);
    return n;
  }
  const long ready = buffer->egptr() - buffer->gptr();
  const int n = static_cast<int>(ready < AHEAD ? ready : AHEAD);
  for (int k = 0; k < n; ++k) to[k] = buffer->gptr()[k];
  return n;
}

// A decimal integer that ends within what can be looked at. False: it does not, nothing was taken.
template <typename T> bool at_once(Iterator &at, Iterator end, State &state, T &v) {
  if (!at._M_sbuf || end._M_sbuf) return false;
  char text[AHEAD + 1];
  const int n = look_ahead(at._M_sbuf, text);
  text[n] = 0;
  if (!n || (text[0] >= '\t' && text[0] <= '\r') || text[0] == ' ') return false;
  using limits = numeric_limits<T>;
  const int before = errno;
  errno = 0;
  char *stop = text;
  const bool minus = text[0] == '-' && !limits::is_signed;
  if (minus && static_cast<unsigned char>(text[1] - '0') > 9) return false;
  const T most = limits::max(), least = limits::min();
  bool overflow;
  T value;
  if constexpr (limits::is_signed) {
    const long long wide = strtoll(text, &stop, 10);
    overflow = errno == ERANGE || (sizeof(T) < 8 && (wide > most || wide < least));
    value = overflow ? (wide < 0 ? least : most) : static_cast<T>(wide);
  } else {
    const unsigned long long wide = strtoull(minus ? text + 1 : text, &stop, 10);
    overflow = errno == ERANGE || (sizeof(T) < 8 && wide > most);
    value = overflow ? most : static_cast<T>(minus ? -wide : wide);
  }
  errno = before;
  const bool none = stop == text || (minus && stop == text + 1);
  const long taken = static_cast<long>(__spelunk_pin(static_cast<unsigned long>(stop - text)));
  if (taken >= AHEAD) return false;
  if (none) {
    // A sign alone is taken.
    if (text[0] == '-' || text[0] == '+') ++at;
    v = 0;
    state = ios_base::failbit;
  } else {
    v = value;
    if (overflow) state = ios_base::failbit;
    for (long k = 0; k < taken; ++k) ++at;
  }
  if (at == end) state |= ios_base::eofbit;
  return true;
}

template <typename T> Iterator integer(Iterator from, Iterator to, ios_base &io, State &state, T &v) {
  using Unsigned = typename __gnu_cxx::__add_unsigned<T>::__type;
  using limits = numeric_limits<T>;
  if ((io.flags() & ios_base::basefield) == ios_base::dec && at_once(from, to, state, v)) return from;
  Reader in(from, to);
  const bool minus = in.is('-');
  if (minus || in.is('+')) in.next();
  bool found = false;
  const unsigned base = base_of(in, io, found);
  unsigned long value = 0;
  unsigned digits = 0;
  int digit = 0;
  for (; in.more && digits < safe_digits(base) && (digit = digit_of(in.c, base)) >= 0; in.next(), ++digits)
    value = value * base + static_cast<unsigned>(digit);
  // What is longer may overflow: more bits, in which it stays beyond every limit once it is there.
  unsigned __int128 wide = value;
  constexpr unsigned __int128 beyond = static_cast<unsigned __int128>(1) << 100;
  for (; in.more && digit >= 0 && (digit = digit_of(in.c, base)) >= 0; in.next(), ++digits)
    wide = wide >= beyond ? beyond : wide * base + static_cast<unsigned>(digit);
  const unsigned long most = static_cast<Unsigned>(limits::max()) + static_cast<unsigned long>(minus && limits::is_signed);
  const bool overflow = digits > safe_digits(base) ? wide > most : sizeof(T) < 8 && value > most;
  if (!found && !digits) {
    v = 0;
    state = ios_base::failbit;
  } else if (overflow) {
    v = minus && limits::is_signed ? limits::min() : limits::max();
    state = ios_base::failbit;
  } else {
    const Unsigned bits = static_cast<Unsigned>(digits > safe_digits(base) ? static_cast<unsigned long>(wide) : value);
    v = static_cast<T>(minus ? -bits : bits);
  }
  if (!in.more) state |= ios_base::eofbit;
  return in.at;
}

Iterator float_text(Iterator from, Iterator to, State &state, string &text) {
  Reader in(from, to);
  const auto sign = [&] {
    if (!in.is('+') && !in.is('-')) return;
    text.push_back(in.c);
    in.next();
  };
  sign();
  bool mantissa = false, point = false, exponent = false;
  for (; in.more; in.next()) {
    if (static_cast<unsigned char>(in.c - '0') < 10) {
      mantissa = true;
      text.push_back(in.c);
    } else if (in.c == '.' && !point && !exponent) {
      point = true;
      text.push_back('.');
    } else if ((in.c | 0x20) == 'e' && mantissa && !exponent) {
      exponent = true;
      text.push_back('e');
      in.next();
      sign();
      if (!in.more || static_cast<unsigned char>(in.c - '0') >= 10) break;
      text.push_back(in.c);
    } else {
      break;
    }
  }
  if (!in.more) state |= ios_base::eofbit;
  return in.at;
}
} // namespace

#define INTEGER(T)                                                                                 \
  template <>                                                                                      \
  template <>                                                                                      \
  Iterator num_get<char>::_M_extract_int(Iterator from, Iterator to, ios_base &io, State &state, T &v) const { \
    if (is_classic(io)) return integer(from, to, io, state, v);                                    \
    return reinterpret_cast<const Generic *>(this)->_M_extract_int(Plain(from), Plain(to), io, state, v); \
  }
// Digits of a number that is written: computed, where the header's code looks them up in the locale's table (which for
// char holds these in every locale).
template <typename T> int digits_of(char *end, T v, ios_base::fmtflags flags, bool decimal) {
  const unsigned base = decimal ? 10 : (flags & ios_base::basefield) == ios_base::oct ? 8 : 16;
  const char letter = flags & ios_base::uppercase ? 'A' - 10 : 'a' - 10;
  char *at = end;
  do {
    const unsigned digit = static_cast<unsigned>(v % base);
    *--at = static_cast<char>(digit + (digit < 10 ? '0' : letter));
    v /= base;
  } while (v);
  return static_cast<int>(end - at);
}
template <> int __int_to_char(char *end, unsigned long v, const char *, ios_base::fmtflags flags, bool decimal) {
  return digits_of(end, v, flags, decimal);
}
template <> int __int_to_char(char *end, unsigned long long v, const char *, ios_base::fmtflags flags, bool decimal) {
  return digits_of(end, v, flags, decimal);
}

INTEGER(long)
INTEGER(unsigned short)
INTEGER(unsigned int)
INTEGER(unsigned long)
INTEGER(long long)
INTEGER(unsigned long long)
} // namespace std

// The same for the text of a floating-point number: no template of its own, hence by its symbol.
extern "C" std::istreambuf_iterator<char>
_ZNKSt7num_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEE16_M_extract_floatB5cxx11ES3_S3_RSt8ios_baseRSt12_Ios_IostateRNSt7__cxx1112basic_stringIcS2_SaIcEEE(
    const std::num_get<char> *facet, std::istreambuf_iterator<char> from, std::istreambuf_iterator<char> to,
    std::ios_base &io, std::ios_base::iostate &state, std::string &text) {
  if (std::is_classic(io)) return std::float_text(from, to, state, text);
  return reinterpret_cast<const std::Generic *>(facet)->_M_extract_float(std::Plain(from), std::Plain(to), io, state, text);
}
