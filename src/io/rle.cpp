#include "io/rle.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include <karst/error.hpp>

#include "io/file.hpp"

namespace karst::io {

namespace {

constexpr std::int64_t kLargestSide = std::int64_t{1} << 27;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_rle_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

class Parser {
public:
    Parser(std::string_view text, const std::string &name) : text_(text), name_(name) {}

    Pattern parse() {
        while (skip_blanks(), at_ < text_.size()) {
            if (text_[at_] == '#' && at_line_start()) {
                comment();
            } else if (text_[at_] == 'x' && !has_header_ && !in_body_) {
                header();
            } else if (body_token()) {
                return finished();
            }
        }
        fail(at_, "the pattern has no end mark '!'");
    }

private:
    // "NAME:LINE:COLUMN: ", both from 1, columns in bytes.
    [[noreturn]] void fail(std::size_t at, const std::string &what) const {
        const auto before = text_.substr(0, at);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const auto column = at - (before.rfind('\n') + 1) + 1;
        throw Error(ErrorCode::invalid_input, name_ + ":" + std::to_string(line) + ":" +
                                                  std::to_string(column) + ": " + what);
    }

    void skip_blanks() {
        while (at_ < text_.size() && is_rle_blank(text_[at_])) {
            ++at_;
        }
    }
    void skip_blanks_in_line() {
        while (at_ < text_.size() && is_rle_blank(text_[at_]) && text_[at_] != '\n') {
            ++at_;
        }
    }
    bool at_line_start() const {
        const auto start = text_.rfind('\n', at_) + 1;
        return text_.find_first_not_of(" \t\r", start) == at_;
    }
    std::string_view rest_of_line() {
        const auto end = std::min(text_.find('\n', at_), text_.size());
        std::string_view rest = text_.substr(at_, end - at_);
        at_ = end;
        while (!rest.empty() && is_rle_blank(rest.back())) {
            rest.remove_suffix(1);
        }
        return rest;
    }

    // "#r 23/3" is the rule in files of XLife; all other lines with # are comments.
    void comment() {
        const std::string_view line = rest_of_line();
        if (line.starts_with("#r ") && pattern_.rule.empty()) {
            pattern_.rule = line.substr(line.find_first_not_of(" \t", 2));
        }
    }

    void expect(std::string_view word, const char *form) {
        skip_blanks_in_line();
        if (!text_.substr(at_).starts_with(word)) {
            fail(at_,
                 std::string("expected '") + std::string(word) + "' of the header '" + form + "'");
        }
        at_ += word.size();
    }

    // x = 3, y = 3, rule = B3/S23
    void header() {
        constexpr const char *kForm = "x = WIDTH, y = HEIGHT, rule = RULE";
        has_header_ = true;
        const auto side = [this](const char *name) {
            expect(name, kForm);
            expect("=", kForm);
            skip_blanks_in_line();
            const std::size_t start = at_;
            const std::int64_t value = number(name);
            if (at_ == start) {
                fail(at_, std::string("expected the number of '") + name + " ='");
            }
            return value;
        };
        pattern_.extent.width = side("x");
        expect(",", kForm);
        pattern_.extent.height = side("y");
        skip_blanks_in_line();
        if (at_ < text_.size() && text_[at_] != '\n') {
            expect(",", kForm);
            expect("rule", kForm);
            expect("=", kForm);
            skip_blanks_in_line();
            const std::size_t start = at_;
            pattern_.rule = rest_of_line();
            if (pattern_.rule.empty()) {
                fail(start, "expected a rule after 'rule ='");
            }
        }
    }

    // The digits at the current place; 0 where there are none.
    std::int64_t number(const char *what) {
        const std::size_t start = at_;
        while (at_ < text_.size() && is_digit(text_[at_])) {
            ++at_;
        }
        std::int64_t value = 0;
        const auto error = std::from_chars(text_.data() + start, text_.data() + at_, value).ec;
        if (at_ > start && (error != std::errc() || value > kLargestSide)) {
            fail(start,
                 std::string(what) + " is " +
                     std::string(text_.substr(start, std::min<std::size_t>(at_ - start, 24))) +
                     "; allowed is at most " + std::to_string(kLargestSide));
        }
        return value;
    }

    // A run count and a token, with blanks between them in old files. True at the end mark.
    bool body_token() {
        in_body_ = true;
        const std::size_t start = at_;
        const std::int64_t written = number("a run count");
        const bool counted = at_ > start;
        if (counted && written == 0) {
            fail(start, "a run count of 0");
        }
        if (counted) {
            skip_blanks();
        }
        if (at_ == text_.size()) {
            fail(at_, "a run count without a token, and no end mark '!'");
        }
        const std::int64_t count = counted ? written : 1;
        const char token = text_[at_];
        switch (token) {
        case 'b':
        case '.':
            advance_x(start, count);
            break;
        case 'o':
        case 'A':
            live_run(start, count);
            break;
        case '$':
            x_ = 0;
            y_ += count;
            break;
        case '!':
            if (counted) {
                fail(start, "a run count before the end mark '!'");
            }
            return true;
        default:
            unknown(token);
        }
        ++at_;
        return false;
    }

    [[noreturn]] void unknown(char token) const {
        const bool state = (token >= 'B' && token <= 'X') || (token >= 'p' && token <= 'y');
        if (state) {
            fail(at_, std::string("'") + token +
                          "' is a state of a rule with more than two states; allowed are b o . A");
        }
        const auto code = static_cast<unsigned char>(token);
        const bool printable = code >= 32 && code < 127;
        fail(at_, (printable ? std::string("'") + token + "'" : "byte " + std::to_string(code)) +
                      " is no token; allowed are b o . A $ ! and run counts");
    }

    void advance_x(std::size_t start, std::int64_t count) {
        const std::int64_t limit = has_header_ ? pattern_.extent.width : kLargestSide;
        if (count > limit - x_) {
            fail(start, "the row reaches column " + std::to_string(x_ + count) + " of " +
                            std::to_string(limit));
        }
        x_ += count;
    }

    void live_run(std::size_t start, std::int64_t count) {
        const std::int64_t limit = has_header_ ? pattern_.extent.height : kLargestSide;
        if (y_ >= limit) {
            fail(start,
                 "a live cell in row " + std::to_string(y_ + 1) + " of " + std::to_string(limit));
        }
        const std::int64_t x = x_;
        advance_x(start, count);
        auto &runs = pattern_.runs;
        if (!runs.empty() && runs.back().y == y_ && runs.back().x + runs.back().length == x) {
            runs.back().length += count;
        } else {
            runs.push_back({x, y_, count});
        }
    }

    Pattern finished() {
        if (!has_header_) {
            for (const auto &run : pattern_.runs) {
                pattern_.extent.width = std::max(pattern_.extent.width, run.x + run.length);
                pattern_.extent.height = run.y + 1;
            }
        }
        return std::move(pattern_);
    }

    std::string_view text_;
    const std::string &name_;
    std::size_t at_ = 0;
    bool has_header_ = false;
    bool in_body_ = false;
    std::int64_t x_ = 0;
    std::int64_t y_ = 0;
    Pattern pattern_;
};

// Appends tokens and starts a new line before one would pass the 70th column.
class Lines {
public:
    void add(std::int64_t count, char token) {
        if (count == 0) {
            return;
        }
        const std::string text = (count > 1 ? std::to_string(count) : "") + token;
        if (column_ + text.size() > 70) {
            text_ += '\n';
            column_ = 0;
        }
        text_ += text;
        column_ += text.size();
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
    std::size_t column_ = 0;
};

// The first x' >= x of the row where the cell is `alive`; the width if there is none.
std::int64_t next(const LifeBoard &board, std::int64_t y, std::int64_t x, bool alive) {
    const std::int64_t width = board.extent().width;
    while (x < width) {
        const std::uint64_t stored = board.words().at(x >> 6, y);
        const std::uint64_t word = (alive ? stored : ~stored) >> (x & 63);
        if (word != 0) {
            return std::min(width, x + std::countr_zero(word));
        }
        x = (x | 63) + 1;
    }
    return width;
}

} // namespace

Pattern parse_rle(std::string_view text, const std::string &name) {
    return Parser(text, name).parse();
}

Pattern read_rle(const std::string &path) {
    return parse_rle(read_file(path, std::size_t{1} << 30), path);
}

std::string format_rle(const LifeBoard &board, std::string_view rule) {
    const Extent2 extent = board.extent();
    Lines lines;
    std::int64_t ends = 0; // row ends not written yet
    for (std::int64_t y = 0; y < extent.height; ++y) {
        std::int64_t x = 0;
        while (true) {
            const std::int64_t live = next(board, y, x, true);
            if (live == extent.width) {
                break;
            }
            const std::int64_t dead = next(board, y, live, false);
            lines.add(ends, '$');
            ends = 0;
            lines.add(live - x, 'b');
            lines.add(dead - live, 'o');
            x = dead;
        }
        ++ends;
    }
    lines.add(1, '!');
    return "x = " + std::to_string(extent.width) + ", y = " + std::to_string(extent.height) +
           ", rule = " + std::string(rule) + "\n" + lines.take() + "\n";
}

} // namespace karst::io
