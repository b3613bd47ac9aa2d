// The karst command. Exit status: 0 done, 1 command line, 2 input or output, 3 bad input file,
// 4 memory or device, 5 not supported here, 6 a requirement not met, 130 and 143 interrupted.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "cli/signals.hpp"
#include "cli/system.hpp"
#include "cli/values.hpp"
#include "core/joined.hpp"
#include "core/memory.hpp"

namespace karst::cli {

namespace {

// CLI11 only says that a command is required when it does not know the one that was given.
void require_command(const CLI::App &app, const char *given) {
    if (given != nullptr && given[0] == '-') {
        return;
    }
    const auto commands = app.get_subcommands([](const CLI::App *) { return true; });
    const auto name = [](const CLI::App *command) { return command->get_name(); };
    if (given != nullptr && std::any_of(commands.begin(), commands.end(),
                                        [&](const CLI::App *its) { return name(its) == given; })) {
        return;
    }
    throw Error(ErrorCode::invalid_argument,
                (given == nullptr ? "a command is missing"
                                  : "there is no command '" + std::string(given) + "'") +
                    "; allowed after " + app.get_name() + " is one of " +
                    core::joined(commands, name) + ", --help");
}

void run(int argc, char **argv) {
    CLI::App app("Seeds to game-ready cracks, caves and heightmaps.", "karst");
    app.set_version_flag("--version", std::string("karst ") + KARST_VERSION +
                                          ", algorithm version " +
                                          std::to_string(KARST_ALGORITHM_VERSION));
    app.require_subcommand(1);
    for (const auto &generator : all_generators()) {
        if (!generator.simulation && !is_volume_row(generator)) {
            add_generator_command(app, generator);
        }
    }
    CLI::App &simulate = *app.add_subcommand("simulate", "a simulation by itself: the raw fields");
    simulate.require_subcommand(1);
    for (const auto &generator : all_generators()) {
        if (generator.simulation && !is_volume_row(generator)) {
            add_generator_command(simulate, generator);
        }
    }
    add_life_command(simulate);
    add_run_command(app);
    add_verify_command(app);
    add_preview_command(app);
    add_params_command(app);
    add_info_command(app);
    const CLI::App &sensitivity = add_sensitivity_command(app);
    add_bits_command(app);
    add_bench_command(app);
    add_tune_command(app);
    add_completion_command(app);
    add_man_command(app);
    const auto argument = [argc, argv](int i) { return i < argc ? argv[i] : nullptr; };
    require_command(app, argument(1));
    for (const CLI::App *group : {static_cast<const CLI::App *>(&simulate), &sensitivity}) {
        if (argv[1] == group->get_name()) {
            require_command(*group, argument(2));
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        print(app.help());
    } catch (const CLI::CallForVersion &version) {
        print(std::string(version.what()) + "\n");
    }
}

// One line: for people, or of JSON beside JSON progress.
int fail(int status, std::string message, bool json) {
    if (json) {
        const nlohmann::ordered_json line{{"error", message}, {"status", status}};
        constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
        message = line.dump(-1, ' ', false, kReplace);
    } else {
        std::replace(message.begin(), message.end(), '\n', ' ');
        message = "karst: " + message;
    }
    std::fputs((message + "\n").c_str(), stderr);
    return status;
}

int exit_status(ErrorCode code) {
    switch (code) {
    case ErrorCode::invalid_argument:
        return 1;
    case ErrorCode::io_failure:
        return 2;
    case ErrorCode::invalid_input:
        return 3;
    case ErrorCode::out_of_memory:
    case ErrorCode::no_device:
    case ErrorCode::device_failure:
        return 4;
    case ErrorCode::unsupported:
        return 5;
    case ErrorCode::requirement_failed:
        return 6;
    case ErrorCode::cancelled:
        return 128 + (received_signal() != 0 ? received_signal() : SIGINT);
    }
    return 4;
}

} // namespace

} // namespace karst::cli

int main(int argc, char **argv) {
    using namespace karst;
    cli::catch_signals();
    cli::system::raise_file_limit();
    std::vector<char *> arguments = cli::system::arguments(argc, argv);
    argc = static_cast<int>(arguments.size());
    argv = arguments.data();
    std::pmr::set_default_resource(core::large_pages());
    const bool json = cli::wants_json_progress(argc, argv);
    try {
        cli::run(argc, argv);
        return 0;
    } catch (const Error &error) {
        return cli::fail(cli::exit_status(error.code()), error.what(), json);
    } catch (const CLI::ParseError &error) {
        return cli::fail(1, std::string(error.what()) + "; karst --help lists what is allowed",
                         json);
    } catch (const std::bad_alloc &) {
        return cli::fail(4, "out of memory; allowed is a smaller --size", json);
    } catch (const std::exception &error) {
        return cli::fail(4, error.what(), json);
    }
}
