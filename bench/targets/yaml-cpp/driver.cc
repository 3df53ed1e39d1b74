// Loads YAML from standard input, converts what it can, and writes all of it again.
#include <iostream>
#include <yaml-cpp/yaml.h>

static int weight(const YAML::Node &node) {
  int sum = 0;
  switch (node.Type()) {
  case YAML::NodeType::Scalar: return node.as<int>(1);
  case YAML::NodeType::Sequence:
    for (const auto &item : node) sum += weight(item);
    return sum;
  case YAML::NodeType::Map:
    for (const auto &item : node) sum += weight(item.first) + weight(item.second);
    return sum;
  default: return 0;
  }
}

int main() {
  try {
    for (const YAML::Node &document : YAML::LoadAll(std::cin)) {
      YAML::Emitter out;
      out << document;
      std::cout << out.c_str() << '\n' << weight(document) << '\n';
    }
  } catch (const YAML::Exception &e) {
    std::cout << e.what() << '\n';
    return 1;
  }
}
