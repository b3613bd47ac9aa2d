// karst completion: what a shell needs to complete the commands, made from the parser's own tables.
#include "cli/commands.hpp"

#include <algorithm>
#include <memory>

#include <karst/error.hpp>

#include "cli/command_tree.hpp"
#include "cli/values.hpp"

namespace karst::cli {

namespace {

std::string joined(const std::vector<std::string> &words, const std::string &between) {
    std::string text;
    for (const auto &word : words) {
        text += (text.empty() ? "" : between) + word;
    }
    return text;
}

// In single quotes, as bash and zsh read them.
std::string quoted(const std::string &text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return result + "'";
}

// The first sentence, without a list behind it in parentheses.
std::string short_help(const std::string &help) {
    std::string text = help.substr(0, help.find('\n'));
    for (const char *end : {". ", " (", ": "}) {
        text = text.substr(0, text.find(end));
    }
    if (text.ends_with('.')) {
        text.pop_back();
    }
    return text;
}

// What may stand behind "karst PATH": commands and switches.
std::vector<std::string> words_of(const CommandText &command) {
    std::vector<std::string> words = command.commands;
    for (const auto &option : command.switches) {
        if (option.positional) {
            words.insert(words.end(), option.choices.begin(), option.choices.end());
        } else {
            words.insert(words.end(), option.names.begin(), option.names.end());
        }
    }
    return words;
}

bool takes_files(const CommandText &command) {
    return std::any_of(
        command.switches.begin(), command.switches.end(),
        [](const SwitchText &option) { return option.positional && option.is_file(); });
}

// Shell patterns "PATH:NAME" for all names of a switch.
std::string patterns(const CommandText &command, const SwitchText &option) {
    std::vector<std::string> list;
    for (const auto &name : option.names) {
        list.push_back(quoted(command.path + ":" + name));
    }
    return joined(list, " | ");
}

// "PARENT:NAME" for each command, as the loop over the words before the cursor finds them.
std::string command_patterns(const std::vector<CommandText> &tree) {
    std::vector<std::string> list;
    for (const auto &command : tree) {
        for (const auto &name : command.commands) {
            list.push_back(quoted(command.path + ":" + name));
        }
    }
    return joined(list, " | ");
}

std::vector<std::string> with_equals(std::vector<std::string> names) {
    for (auto &name : names) {
        name += '=';
    }
    return names;
}

// One branch for each switch with a value: choices(words), assignments(words), files(), nothing().
template <class Choices, class Assignments>
std::string value_cases(const std::vector<CommandText> &tree, const std::string &files,
                        Choices choices, Assignments assignments) {
    std::string text;
    for (const auto &command : tree) {
        for (const auto &option : command.switches) {
            if (option.positional || option.value.empty()) {
                continue;
            }
            std::string action;
            if (!option.choices.empty()) {
                action = choices(option.choices);
            } else if (option.names.back() == "--set") {
                action = assignments(with_equals(command.parameters));
            } else if (option.is_file()) {
                action = files;
            }
            text += "        " + patterns(command, option) + ") " + action +
                    (action.empty() ? "" : "; ") + "return ;;\n";
        }
    }
    return text;
}

std::string bash(const std::vector<CommandText> &tree) {
    std::string text = R"(# Completion of karst for bash: source this, or put it as "karst" into
# ~/.local/share/bash-completion/completions
_karst_words() {
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "${1// /$'\n'}" -- "$2"))
}
_karst_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$1"))
}
_karst() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= words= files= i
    COMPREPLY=()
    # Bash cuts --name=value into three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case $command:${COMP_WORDS[i]} in
        )" + command_patterns(tree) +
                       R"() command="${command:+$command }${COMP_WORDS[i]}" ;;
        esac
    done
    case $command:$previous in
)";
    text += value_cases(
        tree, "_karst_files \"$current\"",
        [](const std::vector<std::string> &words) {
            return "_karst_words " + quoted(joined(words, " ")) + " \"$current\"";
        },
        [](const std::vector<std::string> &words) {
            return "compopt -o nospace 2>/dev/null; _karst_words " + quoted(joined(words, " ")) +
                   " \"$current\"";
        });
    text += "    esac\n    case $command in\n";
    for (const auto &command : tree) {
        text += "        " + quoted(command.path) +
                ") words=" + quoted(joined(words_of(command), " ")) +
                (takes_files(command) ? " files=1" : "") + " ;;\n";
    }
    text += R"(    esac
    if [[ -n $files && $current != -* ]]; then
        _karst_files "$current"
    else
        _karst_words "$words" "$current"
    fi
}
complete -F _karst karst
)";
    return text;
}

std::string zsh(const std::vector<CommandText> &tree) {
    std::string text = R"(#compdef karst
# Completion of karst for zsh: put this as "_karst" into a folder of $fpath, or source it behind
# compinit.
_karst() {
    local command= previous=$words[CURRENT-1] i
    local -a list
    for ((i = 2; i < CURRENT; i++)); do
        case $command:$words[i] in
        )" + command_patterns(tree) +
                       R"() command="${command:+$command }$words[i]" ;;
        esac
    done
    case $command:$previous in
)";
    text += value_cases(
        tree, "_files",
        [](const std::vector<std::string> &words) { return "compadd -- " + joined(words, " "); },
        [](const std::vector<std::string> &words) {
            return "compadd -S '' -- " + joined(words, " ");
        });
    text += "    esac\n    case $command in\n";
    for (const auto &command : tree) {
        text += "        " + quoted(command.path) + ") list=(";
        for (const auto &other : tree) {
            const std::size_t space = other.path.rfind(' ');
            const std::string parent =
                space == std::string::npos ? "" : other.path.substr(0, space);
            if (!other.path.empty() && parent == command.path) {
                const std::string name =
                    space == std::string::npos ? other.path : other.path.substr(space + 1);
                text += "\n            " + quoted(name + ":" + short_help(other.help));
            }
        }
        for (const auto &option : command.switches) {
            const auto &words = option.positional ? option.choices : option.names;
            for (const auto &word : words) {
                text += "\n            " + quoted(word + ":" + short_help(option.help));
            }
        }
        text += ")\n            ";
        if (takes_files(command)) {
            text += "[[ $words[CURRENT] == -* ]] || { _files; return }\n            ";
        }
        text += ";;\n";
    }
    text += R"(    esac
    _describe -o karst list
}
if [[ $funcstack[1] == _karst ]]; then
    _karst "$@"
else
    compdef _karst karst
fi
)";
    return text;
}

// In single quotes, as fish reads them.
std::string fish_quoted(const std::string &text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' || c == '\\' ? "\\" + std::string(1, c) : std::string(1, c);
    }
    return result + "'";
}

std::string fish_condition(const CommandText &command) {
    if (command.path.empty()) {
        return "__fish_use_subcommand";
    }
    std::string text =
        "__fish_seen_subcommand_from " + command.path.substr(command.path.rfind(' ') + 1);
    if (!command.commands.empty()) {
        text += "; and not __fish_seen_subcommand_from " + joined(command.commands, " ");
    }
    return text;
}

std::string fish(const std::vector<CommandText> &tree) {
    std::string text = "# Completion of karst for fish: put this as karst.fish into\n"
                       "# ~/.config/fish/completions, or source it\n"
                       "complete -c karst -f\n";
    for (const auto &command : tree) {
        const std::string start = "complete -c karst -n " + fish_quoted(fish_condition(command));
        for (const auto &name : command.commands) {
            const std::string path = command.path.empty() ? name : command.path + " " + name;
            const auto found =
                std::find_if(tree.begin(), tree.end(),
                             [&path](const CommandText &other) { return other.path == path; });
            text += start + " -a " + name + " -d " + fish_quoted(short_help(found->help)) + "\n";
        }
        for (const auto &option : command.switches) {
            std::string line = start;
            for (const auto &name : option.names) {
                if (!option.positional) {
                    line +=
                        name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
                }
            }
            std::vector<std::string> choices = option.choices;
            if (option.names.back() == "--set") {
                choices = with_equals(command.parameters);
            }
            if (option.is_file()) {
                line += option.positional ? " -F" : " -r -F";
            } else if (!choices.empty()) {
                line +=
                    (option.positional ? " -a " : " -x -a ") + fish_quoted(joined(choices, " "));
            } else if (!option.value.empty()) {
                line += " -x";
            } else if (option.positional) {
                continue;
            }
            text += line + " -d " + fish_quoted(short_help(option.help)) + "\n";
        }
    }
    return text;
}

} // namespace

void add_completion_command(CLI::App &program) {
    CLI::App &command = *program.add_subcommand(
        "completion", "what a shell needs to complete karst: bash, zsh or fish");
    const auto shell = std::make_shared<std::string>();
    command.add_option("shell", *shell, "bash, zsh or fish")->type_name("SHELL")->required();
    command.callback([&program, shell] {
        const auto tree = command_tree(program);
        if (*shell == "bash") {
            print(bash(tree));
        } else if (*shell == "zsh") {
            print(zsh(tree));
        } else if (*shell == "fish") {
            print(fish(tree));
        } else {
            throw Error(ErrorCode::invalid_argument,
                        "shell is '" + *shell + "'; allowed is one of bash, zsh, fish");
        }
    });
}

} // namespace karst::cli
