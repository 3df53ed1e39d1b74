//! what: fields of strsep, empty ones count
//! runs: 2000
//! seed: aaaa:bbb:c:d
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64], *rest = line;
  if (!fgets(line, sizeof line, stdin))
    return 0;
  char *user = strsep(&rest, ":"), *pass = strsep(&rest, ":"), *uid = strsep(&rest, ":");
  if (uid && strcmp(user, "root") == 0 && pass[0] == 'x' && strcmp(uid, "0") == 0)
    fputs("SOLVED\n", stderr);
}
