// Explicit instantiations of what libstdc++'s headers declare `extern template`: compiled to bitcode, they take the
// place of the copies in libstdc++.so, in which symbolic data would be lost. Only what a program uses is linked.
//
// Compiled with -std=gnu++17 (the library's own instantiations stop there: C++20 programs carry theirs) and with
// access control off.
#include <complex>
#include <ext/stdio_filebuf.h>
#include <ext/stdio_sync_filebuf.h>
#include <fstream>
#include <iomanip>
#include <istream>
#include <locale>
#include <ostream>
#include <sstream>
#include <string>


namespace std {
template class allocator<char>;
template class allocator<wchar_t>;
template class basic_string<char>;
template class basic_string<wchar_t>;

// Streams.
template class basic_streambuf<char>;
template class basic_ios<char>;
template class basic_istream<char>;
template class basic_ostream<char>;
template class basic_iostream<char>;
template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;
template class basic_fstream<char>;
template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class basic_ostringstream<char>;
template class basic_stringstream<char>;
template class basic_streambuf<wchar_t>;
template class basic_ios<wchar_t>;
template class basic_istream<wchar_t>;
template class basic_ostream<wchar_t>;
template class basic_iostream<wchar_t>;
template class basic_stringbuf<wchar_t>;
template class basic_istringstream<wchar_t>;
template class basic_ostringstream<wchar_t>;
template class basic_stringstream<wchar_t>;

#define EXTRACT(I, T) template I &I::_M_extract(T &);
#define INSERT(O, T) template O &O::_M_insert(T);
#define NUMBERS(I, O)                                                                              \
  EXTRACT(I, unsigned short) EXTRACT(I, unsigned int) EXTRACT(I, long) EXTRACT(I, unsigned long)   \
  EXTRACT(I, bool) EXTRACT(I, long long) EXTRACT(I, unsigned long long) EXTRACT(I, float)          \
  EXTRACT(I, double) EXTRACT(I, long double) EXTRACT(I, void *) INSERT(O, long)                    \
  INSERT(O, unsigned long) INSERT(O, bool) INSERT(O, long long) INSERT(O, unsigned long long)      \
  INSERT(O, double) INSERT(O, long double) INSERT(O, const void *)
NUMBERS(istream, ostream)
NUMBERS(wistream, wostream)

template istream &ws(istream &);
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);
template istream &getline(istream &, string &);
template ostream &endl(ostream &);
template ostream &ends(ostream &);
template ostream &flush(ostream &);
template ostream &operator<<(ostream &, char);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const char *);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);
template ostream &operator<<(ostream &, const string &);
template ostream &__ostream_insert(ostream &, const char *, streamsize);
template streamsize __copy_streambufs(streambuf *, streambuf *);
template wistream &ws(wistream &);
template wistream &getline(wistream &, wstring &);
template wistream &operator>>(wistream &, wstring &);
template wostream &endl(wostream &);
template wostream &operator<<(wostream &, const wstring &);
template wostream &operator<<(wostream &, wchar_t);
template wostream &operator<<(wostream &, const wchar_t *);
template wostream &__ostream_insert(wostream &, const wchar_t *, streamsize);

// Manipulators.
template ostream &operator<<(ostream &, _Setfill<char>);
template ostream &operator<<(ostream &, _Setiosflags);
template ostream &operator<<(ostream &, _Resetiosflags);
template ostream &operator<<(ostream &, _Setbase);
template ostream &operator<<(ostream &, _Setprecision);
template ostream &operator<<(ostream &, _Setw);
template istream &operator>>(istream &, _Setfill<char>);
template istream &operator>>(istream &, _Setiosflags);
template istream &operator>>(istream &, _Resetiosflags);
template istream &operator>>(istream &, _Setbase);
template istream &operator>>(istream &, _Setprecision);
template istream &operator>>(istream &, _Setw);

// Complex numbers.
template istream &operator>>(istream &, complex<float> &);
template istream &operator>>(istream &, complex<double> &);
template istream &operator>>(istream &, complex<long double> &);

// Locale facets through which numbers, dates and collation keys go.
template class numpunct<char>;
template class num_get<char>;
template class num_put<char>;
template class collate<char>;
template class time_get<char>;
template class money_get<char>;
template class moneypunct<char, false>;
template class moneypunct<char, true>;
template class numpunct<wchar_t>;
template class num_get<wchar_t>;
template class num_put<wchar_t>;
} // namespace std

// What std::cin reads through, with and without sync_with_stdio.
namespace __gnu_cxx {
template class stdio_sync_filebuf<char>;
template class stdio_filebuf<char>;
} // namespace __gnu_cxx
