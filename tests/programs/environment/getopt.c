//! what: getopt over symbolic arguments
//! args: -aaa bbbbb
//! options: --symbolic-arg 1:4 --symbolic-arg 2:5
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int c, verbose = 0;
  char *out = NULL;
  while ((c = getopt(argc, argv, "vo:")) != -1) {
    if (c == 'v')
      verbose++;
    else if (c == 'o')
      out = optarg;
    else
      return 2;
  }
  if (verbose && out && strcmp(out, "dest") == 0)
    fputs("SOLVED\n", stderr);
}
