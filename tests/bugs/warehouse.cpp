// A warehouse's stock book, kept by commands on standard input: a realistic program of several hundred lines with ten
// planted bugs, each behind conditions on the input. A comment with number and kind stands on the line that goes wrong;
// the test that explores this program reads those comments.
//
// Input: the signature "WH", then commands, each ended by ';':
//
//     +NAME,QUANTITY,PRICE   put an item on the current shelf, or add to it
//     -NAME,QUANTITY         take some away
//     xNAME                  strike an item off the book
//     !                      show the item that was last worked on
//     ?NAME                  show an item
//     $NAME                  what an item is worth
//     ~NAME                  average of what was put in, a time
//     #CODE                  read a shelf code, digits with dashes
//     /FROM,TO,STEP          count shelves
//     @SHELF                 go to a shelf
//     &TEXT                  note for the next command
//     lNAME,LABEL            put a label on an item; a quoted one, as it is
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

namespace {

constexpr int kShelves = 8;
constexpr int kMostCommands = 32;
constexpr std::size_t kNameLength = 8;
constexpr std::size_t kLabelLength = 6;
constexpr int kMostDigits = 6;

/// Something that lies on a shelf.
struct Item {
    char name[kNameLength + 1];
    char *label;
    int quantity;
    int price;
    int deliveries;
    Item *next;
};

/// The commands, read one character at a time.
class Reader {
public:
    Reader(const char *text, std::size_t length) : at_(text), end_(text + length) {}

    bool done() const { return at_ == end_; }

    char peek() const { return done() ? '\0' : *at_; }

    char take() { return done() ? '\0' : *at_++; }

    bool accept(char wanted) {
        if (peek() != wanted || done())
            return false;
        at_++;
        return true;
    }

    /// Letters up to the length of a name; false if there are none or too many.
    bool name(char *to) {
        std::size_t length = 0;
        while (peek() >= 'a' && peek() <= 'z') {
            if (length == kNameLength)
                return false;
            to[length++] = take();
        }
        to[length] = '\0';
        return length > 0;
    }

    /// Up to six digits; false if there are none or more.
    bool number(int *to) {
        int value = 0, digits = 0;
        while (peek() >= '0' && peek() <= '9') {
            if (digits++ == kMostDigits)
                return false;
            value = value * 10 + (take() - '0');
        }
        *to = value;
        return digits > 0;
    }

    /// Goes behind the next ';'.
    void skip() {
        while (!done() && take() != ';') {
        }
    }

private:
    const char *at_;
    const char *end_;
};

/// The shelves with what lies on them.
class Warehouse {
public:
    Warehouse() = default;
    Warehouse(const Warehouse &) = delete;
    Warehouse &operator=(const Warehouse &) = delete;

    ~Warehouse() {
        for (Item *&shelf : shelves_) {
            while (shelf) {
                Item *item = shelf;
                shelf = item->next;
                discard(item);
            }
        }
    }

    Item *find(const char *name) const {
        for (Item *item = shelves_[current_]; item; item = item->next) {
            if (std::strcmp(item->name, name) == 0)
                return item;
        }
        return nullptr;
    }

    Item *find_or_add(const char *name) {
        if (Item *known = find(name))
            return known;
        Item *item = static_cast<Item *>(std::calloc(1, sizeof(Item)));
        if (!item)
            std::abort();
        std::strcpy(item->name, name);
        item->next = shelves_[current_];
        shelves_[current_] = item;
        return item;
    }

    /// Strikes an item off the book.
    void remove(Item *item) {
        Item **link = &shelves_[current_];
        while (*link != item)
            link = &(*link)->next;
        *link = item->next;
        // The last item worked on may be the one that goes: it is forgotten only where its stock is used up.
        if (recent_ == item && item->quantity == 0)
            recent_ = nullptr;
        discard(item);
    }

    void go_to(int shelf) {
        if (shelf >= kShelves)
            throw std::out_of_range("no shelf " + std::to_string(shelf)); // BUG 9: uncaught-exception
        current_ = shelf;
    }

    void worked_on(Item *item) { recent_ = item; }

    const Item *recent() const { return recent_; }

private:
    static void discard(Item *item) {
        std::free(item->label);
        std::free(item);
    }

    Item *shelves_[kShelves] = {};
    int current_ = 0;
    Item *recent_ = nullptr;
};

/// Carries commands out.
class Clerk {
public:
    explicit Clerk(Warehouse &warehouse) : warehouse_(warehouse) {}

    /// One command; false if it cannot be understood.
    bool command(Reader &in) {
        switch (in.take()) {
        case '+': return put(in);
        case '-': return withdraw(in);
        case 'x': return strike(in);
        case '!': return show_recent(in);
        case '?': return show(in);
        case '$': return worth(in);
        case '~': return average(in);
        case '#': return code(in);
        case '/': return count(in);
        case '@': return go(in);
        case '&': return note(in);
        case 'l': return label(in);
        default: return false;
        }
    }

private:
    bool put(Reader &in) {
        char name[kNameLength + 1];
        int quantity, price;
        if (!in.name(name) || !in.accept(',') || !in.number(&quantity) || !in.accept(',') || !in.number(&price))
            return false;
        if (!in.accept(';'))
            return false;
        Item *item = warehouse_.find_or_add(name);
        if (quantity > 0) {
            item->quantity = quantity;
            item->deliveries++;
        }
        item->price = price;
        warehouse_.worked_on(item);
        return true;
    }

    bool withdraw(Reader &in) {
        char name[kNameLength + 1];
        int quantity;
        if (!in.name(name) || !in.accept(',') || !in.number(&quantity) || !in.accept(';'))
            return false;
        Item *item = warehouse_.find(name);
        if (!item)
            return false;
        item->quantity -= quantity;
        assert(item->quantity >= 0 && "more taken than there is"); // BUG 7: assertion-failure
        return true;
    }

    bool strike(Reader &in) {
        char name[kNameLength + 1];
        if (!in.name(name) || !in.accept(';'))
            return false;
        Item *item = warehouse_.find(name);
        if (!item)
            return false;
        warehouse_.remove(item);
        return true;
    }

    bool show_recent(Reader &in) {
        if (!in.accept(';'))
            return false;
        const Item *item = warehouse_.recent();
        if (!item)
            return false;
        std::printf("last: %d at %d\n", item->quantity, item->price); // BUG 3: use-after-free
        return true;
    }

    bool show(Reader &in) {
        char name[kNameLength + 1];
        if (!in.name(name) || !in.accept(';'))
            return false;
        const Item *item = warehouse_.find(name);
        int quantity = item->quantity; // BUG 4: null-dereference
        std::printf("%s: %d\n", name, quantity);
        return true;
    }

    bool worth(Reader &in) {
        char name[kNameLength + 1];
        if (!in.name(name) || !in.accept(';'))
            return false;
        const Item *item = warehouse_.find(name);
        if (!item)
            return false;
        int worth = item->quantity * item->price; // BUG 6: signed-overflow
        std::printf("%s is worth %d\n", name, worth);
        return true;
    }

    bool average(Reader &in) {
        char name[kNameLength + 1];
        if (!in.name(name) || !in.accept(';'))
            return false;
        const Item *item = warehouse_.find(name);
        if (!item)
            return false;
        std::printf("%s: %d a time\n", name, item->quantity / item->deliveries); // BUG 5: division-by-zero
        return true;
    }

    /// Digits, in groups that dashes end: `12-3`. The last group is kept; a plus fills it up with zeros.
    bool code(Reader &in) {
        char group[4];
        int length = 0;
        while (!in.done() && in.peek() != ';') {
            char c = in.take();
            if (c == '-') {
                length = 0;
            } else if (c == '+') {
                while (length <= 4)
                    group[length++] = '0'; // BUG 2: stack-buffer-overflow
                length = 4;
            } else if (c >= '0' && c <= '9' && length < 4) {
                group[length++] = c;
            } else {
                return false;
            }
        }
        if (!in.accept(';') || length == 0)
            return false;
        std::printf("code %.*s\n", length, group);
        return true;
    }

    bool count(Reader &in) {
        int from, to, step;
        if (!in.number(&from) || !in.accept(',') || !in.number(&to) || !in.accept(',') || !in.number(&step))
            return false;
        if (!in.accept(';') || from > to || to > kShelves)
            return false;
        int shelves = 0;
        for (int shelf = from; shelf < to; shelf += step, shelves++) {} // BUG 8: hang
        std::printf("%d shelves\n", shelves);
        return true;
    }

    bool go(Reader &in) {
        int shelf;
        if (!in.number(&shelf) || !in.accept(';'))
            return false;
        warehouse_.go_to(shelf);
        return true;
    }

    /// A note is written once, in capitals, and forgotten.
    bool note(Reader &in) {
        std::size_t size = 16, length = 0;
        char *text = static_cast<char *>(std::malloc(size)); // BUG 10: leak
        if (!text)
            std::abort();
        while (!in.done() && in.peek() != ';' && length + 1 < size) {
            char c = in.take();
            if (c == '*')
                return false;
            text[length++] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        text[length] = '\0';
        std::printf("note: %s\n", text);
        std::free(text);
        return in.accept(';');
    }

    bool label(Reader &in) {
        char name[kNameLength + 1];
        if (!in.name(name) || !in.accept(','))
            return false;
        Item *item = warehouse_.find(name);
        if (!item)
            return false;
        const bool quoted = in.accept('"');
        char text[kLabelLength + 1];
        std::size_t length = 0;
        while (in.peek() >= 'A' && in.peek() <= 'Z') {
            if (length == kLabelLength)
                return false;
            text[length++] = in.take();
        }
        if (length == 0 || (quoted && !in.accept('"')))
            return false;
        text[length] = '\0';
        std::free(item->label);
        // Unquoted ones are padded, quoted ones kept as they are.
        item->label = static_cast<char *>(std::malloc(quoted ? length : kLabelLength + 1));
        if (!item->label)
            std::abort();
        std::memcpy(item->label, text, length);
        item->label[length] = '\0'; // BUG 1: heap-buffer-overflow
        return in.accept(';');
    }

    Warehouse &warehouse_;
};

/// Standard input as a whole, up to a limit.
std::string all_input() {
    char buffer[256];
    std::size_t length = std::fread(buffer, 1, sizeof buffer, stdin);
    return std::string(buffer, length);
}

} // namespace

int main() {
    const std::string text = all_input();
    Reader in(text.data(), text.size());
    if (!in.accept('W') || !in.accept('H')) {
        std::fputs("not a stock book\n", stderr);
        return 2;
    }
    Warehouse warehouse;
    Clerk clerk(warehouse);
    int refused = 0;
    for (int n = 0; n < kMostCommands && !in.done(); n++) {
        if (!clerk.command(in)) {
            refused++;
            in.skip();
        }
    }
    return refused > 0 ? 1 : 0;
}
