// The switches of one asset beside its parameters, once: the command line, the recipes and their
// schema loop over this table.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/request.hpp"

namespace karst::cli {

struct AssetOption {
    std::string name; // "short_indices": --short-indices, and a recipe's key
    std::string type; // of the value, for the help: "WxH"; empty for a switch
    std::string help; // one sentence or more, without the last full stop
    // Text, text that may be missing, a switch, or a list whose switch is repeatable.
    std::variant<std::string AssetRequest::*, OptionalText AssetRequest::*, bool AssetRequest::*,
                 std::vector<std::string> AssetRequest::*>
        member;
    // The manifest records it: how files are written, or what was required.
    bool writes = false;
    bool reads_file = false; // its text is the path of a file to read
};

// Those that make sense for a generator and its row of volumes, in the order of the help.
std::vector<AssetOption> asset_options(const GeneratorInfo &generator);

// The files that a request names to be read, as they are opened.
std::vector<std::string> inputs_of(const GeneratorInfo &generator, const AssetRequest &request);

// Calls f(value) with the member of the request.
template <class Request, class F>
decltype(auto) visit_option(const AssetOption &option, Request &request, F &&f) {
    return std::visit([&](auto member) { return f(request.*member); }, option.member);
}

} // namespace karst::cli
