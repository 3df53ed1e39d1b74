//! what: dates checked against the Gregorian calendar
//! goals: 2
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

static int days(int month, int year) {
    switch (month) {
    case 4: case 6: case 9: case 11: return 30;
    case 2: return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
    default: return 31;
    }
}

int main(void) {
    int day = __VERIFIER_nondet_int(), month = __VERIFIER_nondet_int(), year = __VERIFIER_nondet_int();
    if (year < 1583 || year > 9999) return 1;
    if (month < 1 || month > 12) return 2;
    if (day < 1 || day > days(month, year)) return 3;
    if (day == 29 && month == 2) {
        if (year % 100 == 0) fputs("SOLVED 1\n", stderr);
        else fputs("SOLVED 2\n", stderr);
    }
    return 0;
}
