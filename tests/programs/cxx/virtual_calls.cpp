//! what: virtual functions and dynamic_cast on a class chosen by input
//! seed: a5
#include <cstdio>
#include <iostream>
#include <memory>
struct Shape {
  virtual ~Shape() = default;
  virtual int area(int n) const = 0;
};
struct Square : Shape {
  int area(int n) const override { return n * n; }
};
struct Bar : Shape {
  int area(int n) const override { return 3 * n; }
};
int main() {
  std::unique_ptr<Shape> shape;
  if (std::cin.get() == 's') shape = std::make_unique<Square>();
  else shape = std::make_unique<Bar>();
  const int area = shape->area(std::cin.get());
  if (dynamic_cast<Square *>(shape.get()) && area == 10201) std::fputs("SOLVED\n", stderr);
}
