//! what: hsearch finds a word of a hash table
#include <search.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char in[16];
  static char *words[] = {"start", "stop", "pause", "resume"};
  hcreate(16);
  for (long k = 0; k < 4; k++)
    hsearch((ENTRY){words[k], (void *)k}, ENTER);
  if (!fgets(in, sizeof in, stdin))
    return 0;
  in[strcspn(in, "\n")] = 0;
  ENTRY *e = hsearch((ENTRY){in, NULL}, FIND);
  if (e && (long)e->data == 2)
    fputs("SOLVED\n", stderr);
}
