// Lists of names for messages.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace karst::core {

// "a, b, c": of each element what text(element) gives, or its member `text`.
template <class Range, class Text = std::identity>
requires std::invocable<const Text &, decltype(*std::begin(std::declval<const Range &>()))>
    std::string joined(const Range &range, const Text &text = {}) {
    std::string list;
    for (const auto &element : range) {
        list += (list.empty() ? "" : ", ") + std::string(std::invoke(text, element));
    }
    return list;
}

} // namespace karst::core
