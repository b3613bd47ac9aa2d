// The commands and their switches as data, read off the parser: shell completions and the manual
// page loop over it, so that they know what --help knows.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace karst::cli {

struct SwitchText {
    std::vector<std::string> names; // "-o", "--output"; of a positional argument its name alone
    std::string value;              // what follows it: "SEED"; empty: nothing
    std::string help;
    std::string group;                // heading in the help
    std::vector<std::string> choices; // what the value may be, where that is a list
    bool positional = false;
    bool required = false;

    // Whether the value names a file.
    bool is_file() const { return value.find("FILE") != std::string::npos; }
};

struct CommandText {
    std::string path; // "simulate life"; empty for the program
    std::string help;
    std::string footer;
    std::vector<SwitchText> switches;
    std::vector<std::string> commands;   // below it
    std::vector<std::string> parameters; // names for --set
};

// The program first, then its commands in the order of the help, those below a command behind it.
std::vector<CommandText> command_tree(const CLI::App &program);

} // namespace karst::cli
