//! what: getopt_long with --name=value
//! args: aaaaaaaaaaaaaaaa
//! options: --symbolic-arg 1:16
#include <getopt.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  static const struct option options[] = {
      {"help", no_argument, 0, 'h'}, {"level", required_argument, 0, 'l'}, {0, 0, 0, 0}};
  int c;
  while ((c = getopt_long(argc, argv, "hl:", options, NULL)) != -1) {
    if (c == 'l' && strcmp(optarg, "max") == 0)
      fputs("SOLVED\n", stderr);
  }
}
