// The commands. Each adds itself to the parser; its callback does the work.
#pragma once

#include <CLI/App.hpp>

#include "generators/registry.hpp"

namespace karst::cli {

void add_generator_command(CLI::App &parent, const GeneratorInfo &generator);
void add_life_command(CLI::App &parent);             // simulate life
void add_run_command(CLI::App &parent);              // run
void add_verify_command(CLI::App &parent);           // verify
void add_preview_command(CLI::App &parent);          // preview
void add_params_command(CLI::App &parent);           // params
void add_bench_command(CLI::App &parent);            // bench
void add_tune_command(CLI::App &parent);             // tune
void add_info_command(CLI::App &parent);             // info
CLI::App &add_sensitivity_command(CLI::App &parent); // sensitivity
void add_seed_command(CLI::App &parent);             // sensitivity seed
void add_bits_command(CLI::App &parent);             // bits
void add_state_command(CLI::App &parent);            // sensitivity state
void add_parameters_command(CLI::App &parent);       // sensitivity parameters
void add_sensitivity_parts(CLI::App &parent);        // all of sensitivity but report
void add_report_command(CLI::App &parent);           // sensitivity report
void add_completion_command(CLI::App &program);      // completion
void add_man_command(CLI::App &program);             // man

// CLI11 lets unknown arguments through to here, so that the message can name the nearest parameter.
// Throws Error(invalid_argument) for the first of them.
void refuse_unknown(const CLI::App &command, std::span<const ParamInfo> infos);

} // namespace karst::cli
