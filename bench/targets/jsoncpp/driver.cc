// Parses JSON from standard input, looks into it, and writes it again, compact and styled.
#include <iostream>
#include <json/json.h>

int main() {
  Json::CharReaderBuilder reader;
  Json::Value root;
  std::string errors;
  if (!Json::parseFromStream(reader, std::cin, &root, &errors)) {
    std::cout << errors;
    return 1;
  }
  try {
    if (root.isObject() && root.isMember("key")) std::cout << root["key"].asInt() << '\n';
    std::cout << Json::Path(".list[0]").resolve(root, Json::Value("none")).asString() << '\n';
    std::cout << Json::FastWriter().write(root) << Json::StyledWriter().write(root);
    Json::StreamWriterBuilder writer;
    std::cout << Json::writeString(writer, root) << '\n';
  } catch (const Json::Exception &e) {
    std::cout << e.what() << '\n';
    return 2;
  }
}
