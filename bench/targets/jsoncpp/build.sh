#!/bin/bash
# JsonCpp (Debian source): parse standard input, look into it, write it again in two ways
. "$(dirname "$0")/../common/env.sh"
apt_src libjsoncpp
cd "$HERE/src"; cxx_objs x -std=c++11 -Iinclude -- src/lib_json/*.cpp "$HERE/driver.cc"
$CXX $CXXFLAGS "${OBJS[@]}" $LDFLAGS -o "$OUT/jsoncpp"
