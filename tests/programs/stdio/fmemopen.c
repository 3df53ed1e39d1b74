//! what: fmemopen over bytes of the input
//! seed: aaaaaaaaaaaaaaaa
#include <stdio.h>
#include <string.h>
int main(void) {
  char in[16], word[16];
  int v;
  if (fread(in, 1, 16, stdin) != 16)
    return 0;
  FILE *f = fmemopen(in, 16, "r");
  if (!f)
    return 0;
  if (fscanf(f, "%15s %d", word, &v) == 2 && strcmp(word, "mem") == 0 && v == 64)
    fputs("SOLVED\n", stderr);
  fclose(f);
}
