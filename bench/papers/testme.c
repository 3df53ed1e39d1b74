// The motivating example of Majumdar & Sen, "Hybrid Concolic Testing" (ICSE 2007), figure 1, in our own words: a loop without
// end that reads a character and a string in each turn. Nine characters in order (others may stand between them) lead to
// state 9, which random inputs reach in a few thousand turns; the word that then leads to the error is found by
// solving in one turn, and by guessing hardly ever. Solving from the start has 17 ways to go on in each of nine turns.
#include <spelunk.h>
#include <stdio.h>
#include <stdlib.h>

static void error_reached(void) {
  fputs("testme: ERROR reached\n", stderr);
  abort();
}

static void testme(void) {
  int state = 0;
  for (;;) {
    char c = (char)spelunk_char("c");
    char s[6];
    spelunk_bytes(s, sizeof s, "s");
    if (c == '[' && state == 0) state = 1;
    if (c == '(' && state == 1) state = 2;
    if (c == '{' && state == 2) state = 3;
    if (c == '~' && state == 3) state = 4;
    if (c == 'a' && state == 4) state = 5;
    if (c == 'x' && state == 5) state = 6;
    if (c == '}' && state == 6) state = 7;
    if (c == ')' && state == 7) state = 8;
    if (c == ']' && state == 8) state = 9;
    if (s[0] == 'r' && s[1] == 'e' && s[2] == 's' && s[3] == 'e' && s[4] == 't' && s[5] == 0 && state == 9) error_reached();
  }
}

int main(void) {
  testme();
  return 0;
}
