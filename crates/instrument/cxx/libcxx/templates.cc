// Explicit instantiations of what libc++'s headers declare `extern template`, and what its shared library has as plain
// functions: numbers out of strings, the character facet, the C library's functions that take a locale.
//
// Compiled with -std=gnu++17 and with access control off.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <istream>
#include <locale>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>

// The tested program runs in the C locale unless it chose another, whose numbers the header's callers have brought into
// the C locale's form.
extern "C" {
long long strtoll_l(const char *s, char **end, int base, locale_t) noexcept { return strtoll(s, end, base); }
unsigned long long strtoull_l(const char *s, char **end, int base, locale_t) noexcept { return strtoull(s, end, base); }
float strtof_l(const char *s, char **end, locale_t) noexcept { return strtof(s, end); }
double strtod_l(const char *s, char **end, locale_t) noexcept { return strtod(s, end); }
long double strtold_l(const char *s, char **end, locale_t) noexcept { return strtold(s, end); }
}

_LIBCPP_BEGIN_NAMESPACE_STD
template class basic_string<char>;
template class basic_streambuf<char>;
template class basic_ios<char>;
template class basic_istream<char>;
template class basic_ostream<char>;
template class basic_iostream<char>;
template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class basic_ostringstream<char>;
template class basic_stringstream<char>;
template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;
template class num_get<char>;
template class num_put<char>;
template struct __num_get<char>;
template struct __num_put<char>;
template class collate<char>;
template istream &operator>>(istream &, string &);
template istream &getline(istream &, string &, char);

namespace {
// `read` is the C library's function; what it says is told as the standard's functions do.
template <typename T, typename Read> T number(const char *name, const string &text, size_t *used, Read read) {
  const char *start = text.c_str();
  char *end;
  const int before = errno;
  errno = 0;
  const T value = read(start, &end);
  const int error = errno;
  errno = before;
  if (error == ERANGE) throw out_of_range(string(name) + ": out of range");
  if (end == start) throw invalid_argument(string(name) + ": no conversion");
  if (used) *used = static_cast<size_t>(end - start);
  return value;
}
} // namespace

#define INTEGER(NAME, T, READ)                                                                     \
  T NAME(const string &text, size_t *used, int base) {                                             \
    return number<T>(#NAME, text, used, [base](const char *s, char **end) { return READ(s, end, base); }); \
  }
INTEGER(stol, long, strtol)
INTEGER(stoul, unsigned long, strtoul)
INTEGER(stoll, long long, strtoll)
INTEGER(stoull, unsigned long long, strtoull)
int stoi(const string &text, size_t *used, int base) {
  const long value = number<long>("stoi", text, used, [base](const char *s, char **end) { return strtol(s, end, base); });
  if (value < INT_MIN || value > INT_MAX) throw out_of_range("stoi: out of range");
  return static_cast<int>(value);
}
float stof(const string &text, size_t *used) { return number<float>("stof", text, used, strtof); }
double stod(const string &text, size_t *used) { return number<double>("stod", text, used, strtod); }
long double stold(const string &text, size_t *used) { return number<long double>("stold", text, used, strtold); }

char ctype<char>::do_toupper(char c) const { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
char ctype<char>::do_tolower(char c) const { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
const char *ctype<char>::do_toupper(char *from, const char *to) const {
  for (; from < to; ++from) *from = do_toupper(*from);
  return to;
}
const char *ctype<char>::do_tolower(char *from, const char *to) const {
  for (; from < to; ++from) *from = do_tolower(*from);
  return to;
}
char ctype<char>::do_widen(char c) const { return c; }
const char *ctype<char>::do_widen(const char *from, const char *to, char *out) const {
  memcpy(out, from, static_cast<size_t>(to - from));
  return to;
}
char ctype<char>::do_narrow(char c, char other) const { return static_cast<unsigned char>(c) < 128 ? c : other; }
const char *ctype<char>::do_narrow(const char *from, const char *to, char other, char *out) const {
  for (; from < to; ++from) *out++ = do_narrow(*from, other);
  return to;
}
_LIBCPP_END_NAMESPACE_STD
