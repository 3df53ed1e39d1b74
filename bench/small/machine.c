// A state machine over 48 bytes: a vending machine's protocol, one byte a message, with money, stock and a service
// menu behind a code. What no input reaches is marked INFEASIBLE with the reason; `small.py` reads the marks.
#include <stdio.h>

enum state { IDLE, COINS, CHOSEN, SERVED, CODE, SERVICE, LOCKED, OPEN, BROKEN };

static enum state state = IDLE;
static int money, stock = 2, code, tries, served, opened;

static void idle(int m) {
  if (m == '$') {
    state = COINS;
    money = 1;
  } else if (m == '*') {
    state = CODE;
    code = 0;
  } else if (m == 'K' && opened == 1) {
    state = BROKEN;
  }
}

static void coins(int m) {
  if (m == '$') {
    if (++money > 9) state = LOCKED;
  } else if (m >= 'A' && m <= 'C') {
    int price = (m - 'A') * 2 + 2;
    if (money < price) return;
    if (stock == 0) {
      state = IDLE;
      money = 0;
      return;
    }
    money -= price;
    state = CHOSEN;
  } else if (m == '<') {
    money = 0;
    state = IDLE;
  }
  if (money < 0) state = BROKEN; // INFEASIBLE 1.true: a choice that costs more than there is leaves before
}

static void chosen(int m) {
  if (m == '!') {
    stock--;
    served++;
    state = SERVED;
  } else if (m == '<') {
    state = COINS;
  }
  if (stock < 0) state = BROKEN; // INFEASIBLE 1.true: nothing is chosen when the stock is 0
}

static void enter_code(int m) {
  if (m >= '0' && m <= '9') {
    code = code * 10 + (m - '0');
    if (code > 99999) state = IDLE;
  } else if (m == '#') {
    if (code == 4711) {
      state = SERVICE;
      tries = 0;
    } else if (++tries == 3) {
      state = LOCKED;
    } else {
      state = IDLE;
    }
  }
}

static void service(int m) {
  if (m == 'R' && stock == 0) {
    stock = 2;
  } else if (m == 'O' && served >= 1) {
    state = OPEN;
    opened++;
  } else if (m == 'X') {
    state = IDLE;
  } else if (m == 'L' && tries > 0) { // INFEASIBLE 2.true: tries are forgotten on the way here
    state = LOCKED;
  }
}

static void step(int m) {
  switch (state) {
  case IDLE: idle(m); break;
  case COINS: coins(m); break;
  case CHOSEN: chosen(m); break;
  case SERVED:
    if (m == '.') state = money > 0 ? COINS : IDLE;
    break;
  case CODE: enter_code(m); break;
  case SERVICE: service(m); break;
  case OPEN:
    if (m == 'C') state = IDLE;
    break;
  default: break;
  }
}

int main(void) {
  unsigned char in[48];
  size_t n = fread(in, 1, sizeof in, stdin);
  for (size_t i = 0; i < n; i++) step(in[i]);
  if (state == BROKEN) return 3;
  if (state == LOCKED && served == 2) return 4;
  return state == OPEN ? 5 : 0;
}
