//! what: sscanf with %[...], %*d, %n and widths
//! seed: aa:11:22\n
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64], name[16];
  int n = 0, v = 0;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (sscanf(line, "%15[a-z_]:%*d:%3d%n", name, &v, &n) == 2 && strcmp(name, "k_y") == 0 && v == 512)
    fputs("SOLVED\n", stderr);
}
