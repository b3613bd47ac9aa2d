// karst man: the manual page, made from the parser's own tables.
#include "cli/commands.hpp"

#include <algorithm>
#include <map>

#include "cli/command_tree.hpp"
#include "cli/values.hpp"

namespace karst::cli {

namespace {

// Text as roff reads it: no line starts with a control character, no backslash is an escape.
std::string roff(const std::string &text) {
    std::string result;
    bool line_starts = true;
    for (const char c : text) {
        if (line_starts && (c == '.' || c == '\'')) {
            result += "\\&";
        }
        line_starts = c == '\n';
        if (c == '\\') {
            result += "\\e";
        } else if (c == '-') {
            result += "\\-";
        } else {
            result += c;
        }
    }
    return result;
}

// Breaks lines between words, as roff fills paragraphs by itself.
std::string wrapped(const std::string &text) {
    constexpr std::size_t kColumns = 72;
    std::string result;
    std::size_t line = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find(' ', i), text.size());
        if (line > 0) {
            const bool full = line + 1 + end - i > kColumns;
            result += full ? '\n' : ' ';
            line = full ? 0 : line + 1;
        }
        result += text.substr(i, end - i);
        line += end - i;
        i = end + 1;
    }
    return result;
}

// Help texts start small or large and end with or without a full stop.
std::string sentence(std::string text) {
    if (!text.empty() && !text.ends_with('.')) {
        text += '.';
    }
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return roff(wrapped(text));
}

std::string entry(const SwitchText &option) {
    std::string names;
    for (const auto &name : option.names) {
        names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    }
    if (option.positional) {
        names = "\\fI" + roff(option.value.empty() ? option.names.front() : option.value) + "\\fR";
    } else if (!option.value.empty()) {
        names += " \\fI" + roff(option.value) + "\\fR";
    }
    return ".TP\n" + names + "\n" + sentence(option.help) + "\n";
}

std::string key_of(const SwitchText &option) {
    return option.names.back() + "\n" + option.help;
}

// Switches that three commands or more have in the same words stand once at the end.
std::map<std::string, int> counts_of(const std::vector<CommandText> &tree) {
    std::map<std::string, int> counts;
    for (const auto &command : tree) {
        for (const auto &option : command.switches) {
            ++counts[key_of(option)];
        }
    }
    return counts;
}
constexpr int kCommon = 3;

std::string synopsis(const CommandText &command) {
    std::string line = "\\fBkarst " + roff(command.path) + "\\fR [\\fIOPTION\\fR]...";
    for (const auto &option : command.switches) {
        if (option.positional) {
            const std::string name = "\\fI" + roff(option.value) + "\\fR";
            line += option.required ? " " + name : " [" + name + "]";
        }
    }
    return line;
}

std::string section(const CommandText &command, const std::map<std::string, int> &counts) {
    std::string text = ".SS karst " + roff(command.path) + "\n" + sentence(command.help) + "\n";
    std::string group;
    for (const auto &option : command.switches) {
        if (counts.at(key_of(option)) >= kCommon) {
            continue;
        }
        if (option.group != group && option.group.starts_with("Parameters")) {
            group = option.group;
            text += ".PP\n" + roff(group) + ":\n";
        }
        text += entry(option);
    }
    std::string rest = command.footer;
    while (!rest.empty()) { // "Layers:", then "  NAME: TEXT" for each
        const std::string line = rest.substr(0, rest.find('\n'));
        rest.erase(0, std::min(line.size() + 1, rest.size()));
        const std::size_t colon = line.find(": ");
        const bool item = line.starts_with("  ") && colon != std::string::npos;
        text += item ? ".TP\n\\fB" + roff(line.substr(2, colon - 2)) + "\\fR\n" +
                           roff(wrapped(line.substr(colon + 2))) + "\n"
                     : ".PP\n" + roff(wrapped(line)) + "\n";
    }
    return text;
}

std::string man_page(const std::vector<CommandText> &tree) {
    const auto counts = counts_of(tree);
    std::string text = ".\\\" Made by: karst man\n.TH KARST 1 \"\" \"karst " +
                       std::string(KARST_VERSION) +
                       "\" \"User Commands\"\n.SH NAME\nkarst \\- "
                       "seeds to game\\-ready cracks, caves and heightmaps\n.SH SYNOPSIS\n";
    std::string between;
    for (const auto &command : tree) {
        if (!command.path.empty() && command.commands.empty()) {
            text += between + synopsis(command) + "\n";
            between = ".br\n";
        }
    }
    text += R"(.SH DESCRIPTION
Karst turns a seed into cracks, caves and heightmaps that game engines import.
The same seed and parameters give the same numbers on the CPU and on every CUDA
device.
.PP
A file's extension is its format. Beside each file stands its manifest,
.IR FILE .karst.json:
seed, algorithm version, parameters and digests, the same on every run.
Files appear whole or not at all.
.SH COMMANDS
)";
    for (const auto &command : tree) {
        if (!command.path.empty() && command.commands.empty()) {
            text += section(command, counts);
        }
    }
    text += ".SH COMMON OPTIONS\n";
    std::vector<std::string> told;
    for (const auto &command : tree) {
        for (const auto &option : command.switches) {
            const std::string key = key_of(option);
            if (counts.at(key) >= kCommon &&
                std::find(told.begin(), told.end(), key) == told.end()) {
                told.push_back(key);
                text += entry(option);
            }
        }
    }
    text += R"(.SH ENVIRONMENT
.TP
.B KARST_TUNING
The file in which
.B karst tune
keeps what it finds and which jobs read;
.B off
for none. It changes no result.
.TP
.B XDG_CACHE_HOME
The folder of
.IR karst/tuning.json ,
which is that file without KARST_TUNING; ~/.cache without either.
.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
The command line is wrong.
.TP
.B 2
A file cannot be read or written.
.TP
.B 3
An input file or a recipe is wrong.
.TP
.B 4
Memory or the device failed, or the device is not there.
.TP
.B 5
Not supported here.
.TP
.B 6
A stated requirement or a verification was not met.
.TP
.BR 130 ", " 143
Interrupted.
)";
    return text;
}

} // namespace

void add_man_command(CLI::App &program) {
    CLI::App &command = *program.add_subcommand("man", "the manual page, for man -l -");
    command.callback([&program] { print(man_page(command_tree(program))); });
}

} // namespace karst::cli
