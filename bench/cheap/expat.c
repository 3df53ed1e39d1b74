/* Expat in one unit: the harness that the project itself gives to libFuzzer (fuzz/xml_parse_fuzzer.c), without a configure step. */
#define XML_CONTEXT_BYTES 1024
#define XML_DTD 1
#define XML_NS 1
#define XML_GE 1
#define BYTEORDER 1234
#define HAVE_GETRANDOM 1
#define HAVE_MEMMOVE 1
#define XML_DEV_URANDOM 1
#define ENCODING_FOR_FUZZING UTF-8
#include "lib/xmltok.c"
#include "lib/xmlrole.c"
#include "lib/xmlparse.c"
#include "fuzz/xml_parse_fuzzer.c"
