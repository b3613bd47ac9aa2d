// JSON text written value by value, in the layout of nlohmann's dump(1). A tree of its values takes
// memory while it is destroyed, where a failure would end the process; and of a large graph the
// tree is many times the text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace karst {

class JsonText {
public:
    // f() writes what lies between the brackets.
    template <class F>
    void object(F &&f) {
        within('{', '}', std::forward<F>(f));
    }
    template <class F>
    void array(F &&f) {
        within('[', ']', std::forward<F>(f));
    }
    // An array; one(item) writes each item.
    template <class Items, class F>
    void array_of(const Items &items, F &&one) {
        array([&] {
            for (const auto &item : items) {
                one(item);
            }
        });
    }
    // Within an object; a value follows.
    void key(std::string_view name) {
        begin_element();
        text_ += nlohmann::json(name).dump();
        text_ += ": ";
        after_key_ = true;
    }
    // A number, a truth, a text or nullptr.
    template <class Value>
    void value(const Value &its) {
        begin_element();
        text_ += nlohmann::json(its).dump();
    }
    template <class Value>
    void member(std::string_view name, const Value &its) {
        key(name);
        value(its);
    }

    // The text, with a line feed at its end.
    std::string take() { return std::move(text_) + "\n"; }

private:
    template <class F>
    void within(char open, char close, F &&f) {
        begin_element();
        text_ += open;
        ++depth_;
        empty_ = true;
        f();
        --depth_;
        if (!empty_) {
            new_line();
        }
        text_ += close;
        empty_ = false;
    }

    void begin_element() {
        if (after_key_ || depth_ == 0) {
            after_key_ = false;
            return;
        }
        if (!empty_) {
            text_ += ',';
        }
        new_line();
        empty_ = false;
    }

    void new_line() {
        text_ += '\n';
        text_.append(depth_, ' ');
    }

    std::string text_;
    std::size_t depth_ = 0;
    bool empty_ = true; // nothing stands in the brackets that are open
    bool after_key_ = false;
};

} // namespace karst
