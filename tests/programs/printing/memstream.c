//! what: fprintf to a stream in memory, then the text is compared
//! seed: abcdefgh
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned char in[6];
  char *text = NULL;
  size_t n = 0;
  if (fread(in, 6, 1, stdin) != 1)
    return 0;
  FILE *f = open_memstream(&text, &n);
  fprintf(f, "%c%c-%02x", in[0], in[1], in[2]);
  fputc(in[3], f);
  fputs("/", f);
  fwrite(in + 4, 1, 2, f);
  fclose(f);
  if (strcmp(text, "ab-7f+/xy") == 0 && in[0] == 'a')
    fputs("SOLVED\n", stderr);
  free(text);
}
