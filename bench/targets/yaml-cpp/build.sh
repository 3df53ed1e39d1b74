#!/bin/bash
# yaml-cpp (Debian source): load standard input and write it again
. "$(dirname "$0")/../common/env.sh"
apt_src yaml-cpp
cd "$HERE/src"; cxx_objs x -std=c++14 -Iinclude -Isrc -- src/*.cpp "$HERE/driver.cc"
$CXX $CXXFLAGS "${OBJS[@]}" $LDFLAGS -o "$OUT/yaml-cpp"
