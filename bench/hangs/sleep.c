// Seven one-byte comparisons, one of which leads to a run that does not end.
#include <stdio.h>
#include <unistd.h>
int main(void) {
  unsigned char b[7];
  int hits = 0;
  if (read(0, b, 7) != 7)
    return 1;
  if (b[0] == 'a') hits++;
  if (b[1] == 'b') hits++;
  if (b[2] == 'c') hits++;
  if (b[3] == 'd') { sleep(100); }
  if (b[4] == 'e') hits++;
  if (b[5] == 'f') hits++;
  if (b[6] == 'g') hits++;
  if (hits == 6) puts("all");
  if (hits > 3) puts("more");
  if (hits == 1) puts("one");
  if (b[0] > b[1]) puts("x");
  if (b[1] > b[2] && b[2] > 3) puts("y");
  switch (b[6]) {
  case 'q': puts("q"); break;
  case 'r': puts("r"); break;
  }
}
