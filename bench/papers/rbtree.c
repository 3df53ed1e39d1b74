// A driver for a library's red-black tree, after Majumdar & Sen, "Hybrid Concolic Testing" (ICSE 2007), figure 3, in our own
// words: a loop without end in which one input chooses an operation and another the key. The tree is SGLIB's
// (`sglib.h`, not here; named by -I when this is compiled).
//
// What differs from the figure: the choice is an unsigned number, whose remainder makes each of the five operations as likely
// as the others; keys are compared without overflow (a difference of ints is no order); elements that leave the tree,
// or do not enter it, are freed, so that a run may be long and an address may come back.
#include <sglib.h>
#include <spelunk.h>
#include <stdlib.h>

typedef struct rbtree {
  int i;
  struct rbtree *left, *right;
  char color;
} rbtree;

#define ORDER(x, y) (((x)->i > (y)->i) - ((x)->i < (y)->i))

SGLIB_DEFINE_RBTREE_PROTOTYPES(rbtree, left, right, color, ORDER)
SGLIB_DEFINE_RBTREE_FUNCTIONS(rbtree, left, right, color, ORDER)

static rbtree *element(void) {
  rbtree *e = calloc(1, sizeof *e);
  if (!e) exit(0);
  e->i = spelunk_int("key");
  return e;
}

static void testme(void) {
  rbtree *root = NULL;
  for (;;) {
    rbtree *e, *found;
    switch (spelunk_uint("operation") % 5) {
      case 1:
        sglib_rbtree_len(root);
        break;
      case 2:
        e = element();
        if (!sglib_rbtree_add_if_not_member(&root, e, &found)) free(e);
        break;
      case 3:
        e = element();
        if (sglib_rbtree_delete_if_member(&root, e, &found)) free(found);
        free(e);
        break;
      case 4:
        e = element();
        sglib_rbtree_find_member(root, e);
        free(e);
        break;
      default:
        sglib_rbtree_add(&root, element());
    }
  }
}

int main(void) {
  testme();
  return 0;
}
