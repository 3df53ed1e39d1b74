//! what: a program that asks for values by spelunk.h
#include <spelunk.h>
#include <stdio.h>

int main(void) {
    char name[8];
    int age = spelunk_range(0, 150, "age");
    spelunk_bytes(name, sizeof name, "name");
    double height = spelunk_double("height");
    if (age == 33 && name[0] == 'A' && name[7] == 0 && height * 2 == 3.5) fputs("SOLVED\n", stderr);
    return 0;
}
