// The parts of containers that are compiled into libstdc++.so: balancing of trees, list links, hashes of bytes. The trees
// come out with exactly the library's shape and the hashes with exactly its values, because both decide the path that the
// user's own executable takes.
#include <cstring>
#include <functional>
#include <list>
#include <map>

namespace std {
namespace {
using Node = _Rb_tree_node_base;

Node *successor(Node *x) {
  if (x->_M_right) {
    for (x = x->_M_right; x->_M_left; x = x->_M_left) {}
    return x;
  }
  Node *parent = x->_M_parent;
  for (; x == parent->_M_right; parent = parent->_M_parent) x = parent;
  // At the rightmost node of a tree whose root has no right child, x is the header already.
  return x->_M_right == parent ? x : parent;
}

Node *predecessor(Node *x) {
  // The header is red and its own grandparent: before it comes the rightmost node.
  if (x->_M_color == _S_red && x->_M_parent->_M_parent == x) return x->_M_right;
  if (x->_M_left) {
    for (x = x->_M_left; x->_M_right; x = x->_M_right) {}
    return x;
  }
  Node *parent = x->_M_parent;
  for (; x == parent->_M_left; parent = parent->_M_parent) x = parent;
  return parent;
}

// Side 0 is left, 1 is right: mirror images share their code.
Node *&kid(Node *x, bool right) { return right ? x->_M_right : x->_M_left; }

// `x` goes down to the side `right`, its other child comes up.
void rotate(Node *x, bool right, Node *&root) {
  Node *up = kid(x, !right);
  kid(x, !right) = kid(up, right);
  if (kid(up, right)) kid(up, right)->_M_parent = x;
  up->_M_parent = x->_M_parent;
  if (x == root) root = up;
  else kid(x->_M_parent, x == x->_M_parent->_M_right) = up;
  kid(up, right) = x;
  x->_M_parent = up;
}

void link(bool left, Node *x, Node *parent, Node &header) {
  x->_M_parent = parent;
  x->_M_left = x->_M_right = nullptr;
  x->_M_color = _S_red;
  if (left) {
    parent->_M_left = x;
    if (parent == &header) header._M_parent = header._M_right = x;
    else if (parent == header._M_left) header._M_left = x;
  } else {
    parent->_M_right = x;
    if (parent == header._M_right) header._M_right = x;
  }
}

// Replaces `z` by its only or no child `x`, or by its successor `y`; what is left at the old place goes to `x` and
// `parent`.
Node *unlink(Node *z, Node *&x, Node *&parent, Node &header) {
  Node *&root = header._M_parent;
  Node *y = z;
  if (!z->_M_left) {
    x = z->_M_right;
  } else if (!z->_M_right) {
    x = z->_M_left;
  } else {
    for (y = z->_M_right; y->_M_left; y = y->_M_left) {}
    x = y->_M_right;
  }
  const auto put_at = [&](Node *with) {
    if (root == z) root = with;
    else kid(z->_M_parent, z->_M_parent->_M_left != z) = with;
  };
  if (y != z) {
    z->_M_left->_M_parent = y;
    y->_M_left = z->_M_left;
    if (y != z->_M_right) {
      parent = y->_M_parent;
      if (x) x->_M_parent = parent;
      parent->_M_left = x;
      y->_M_right = z->_M_right;
      z->_M_right->_M_parent = y;
    } else {
      parent = y;
    }
    put_at(y);
    y->_M_parent = z->_M_parent;
    std::swap(y->_M_color, z->_M_color);
    return z;
  }
  parent = z->_M_parent;
  if (x) x->_M_parent = parent;
  put_at(x);
  if (header._M_left == z) {
    header._M_left = z->_M_parent;
    if (!z->_M_right && x) for (header._M_left = x; header._M_left->_M_left;) header._M_left = header._M_left->_M_left;
    if (z->_M_right) for (header._M_left = x; header._M_left->_M_left;) header._M_left = header._M_left->_M_left;
  }
  if (header._M_right == z) {
    header._M_right = z->_M_parent;
    if (z->_M_left) for (header._M_right = x; header._M_right->_M_right;) header._M_right = header._M_right->_M_right;
  }
  return y;
}
} // namespace

Node *_Rb_tree_increment(Node *x) noexcept { return successor(x); }
const Node *_Rb_tree_increment(const Node *x) noexcept { return successor(const_cast<Node *>(x)); }
Node *_Rb_tree_decrement(Node *x) noexcept { return predecessor(x); }
const Node *_Rb_tree_decrement(const Node *x) noexcept { return predecessor(const_cast<Node *>(x)); }

// Cormen, Leiserson, Rivest & Stein, "Introduction to Algorithms", section 13.3.
void _Rb_tree_insert_and_rebalance(const bool left, Node *x, Node *parent, Node &header) noexcept {
  Node *&root = header._M_parent;
  link(left, x, parent, header);
  while (x != root && x->_M_parent->_M_color == _S_red) {
    Node *grand = x->_M_parent->_M_parent;
    const bool right = x->_M_parent != grand->_M_left;
    Node *uncle = kid(grand, !right);
    if (uncle && uncle->_M_color == _S_red) {
      x->_M_parent->_M_color = uncle->_M_color = _S_black;
      grand->_M_color = _S_red;
      x = grand;
      continue;
    }
    if (x == kid(x->_M_parent, !right)) {
      x = x->_M_parent;
      rotate(x, right, root);
    }
    x->_M_parent->_M_color = _S_black;
    grand->_M_color = _S_red;
    rotate(grand, !right, root);
  }
  root->_M_color = _S_black;
}

// The same, section 13.4.
Node *_Rb_tree_rebalance_for_erase(Node *const z, Node &header) noexcept {
  Node *&root = header._M_parent;
  Node *x = nullptr, *parent = nullptr;
  Node *gone = unlink(z, x, parent, header);
  if (gone->_M_color == _S_red) return gone;
  while (x != root && (!x || x->_M_color == _S_black)) {
    const bool right = x != parent->_M_left;
    Node *other = kid(parent, !right);
    if (other->_M_color == _S_red) {
      other->_M_color = _S_black;
      parent->_M_color = _S_red;
      rotate(parent, right, root);
      other = kid(parent, !right);
    }
    const auto black = [](Node *n) { return !n || n->_M_color == _S_black; };
    if (black(other->_M_left) && black(other->_M_right)) {
      other->_M_color = _S_red;
      x = parent;
      parent = parent->_M_parent;
      continue;
    }
    if (black(kid(other, !right))) {
      kid(other, right)->_M_color = _S_black;
      other->_M_color = _S_red;
      rotate(other, !right, root);
      other = kid(parent, !right);
    }
    other->_M_color = parent->_M_color;
    parent->_M_color = _S_black;
    if (kid(other, !right)) kid(other, !right)->_M_color = _S_black;
    rotate(parent, right, root);
    break;
  }
  if (x) x->_M_color = _S_black;
  return gone;
}

namespace __detail {
void _List_node_base::_M_hook(_List_node_base *const at) noexcept {
  _M_next = at;
  _M_prev = at->_M_prev;
  at->_M_prev->_M_next = this;
  at->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
  _M_next->_M_prev = _M_prev;
  _M_prev->_M_next = _M_next;
}

void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept {
  if (this == last) return;
  _List_node_base *const before = _M_prev, *const end = last->_M_prev;
  first->_M_prev->_M_next = last;
  last->_M_prev = first->_M_prev;
  before->_M_next = first;
  first->_M_prev = before;
  end->_M_next = this;
  _M_prev = end;
}

void _List_node_base::_M_reverse() noexcept {
  _List_node_base *at = this;
  do {
    _List_node_base *const next = at->_M_next;
    at->_M_next = at->_M_prev;
    at->_M_prev = next;
    at = next;
  } while (at != this);
}
} // namespace __detail

namespace {
unsigned long word_at(const char *p, size_t n) {
  unsigned long word = 0;
  for (size_t k = n; k-- > 0;) word = word << 8 | static_cast<unsigned char>(p[k]);
  return word;
}
unsigned long shift_mix(unsigned long v) { return v ^ v >> 47; }
} // namespace

// Austin Appleby's MurmurHash64A.
size_t _Hash_bytes(const void *data, size_t length, size_t seed) {
  constexpr size_t factor = 0xc6a4a7935bd1e995;
  const char *p = static_cast<const char *>(data), *const whole = p + (length & ~size_t{7});
  size_t hash = seed ^ length * factor;
  for (; p != whole; p += 8) hash = (hash ^ shift_mix(word_at(p, 8) * factor) * factor) * factor;
  if (const size_t rest = length & 7) hash = (hash ^ word_at(p, rest)) * factor;
  return shift_mix(shift_mix(hash) * factor);
}

// Fowler, Noll and Vo's hash, 64 bits, variant 1a.
size_t _Fnv_hash_bytes(const void *data, size_t length, size_t hash) {
  for (const char *p = static_cast<const char *>(data); length; --length)
    hash = (hash ^ static_cast<size_t>(*p++)) * 1099511628211u;
  return hash;
}
} // namespace std
