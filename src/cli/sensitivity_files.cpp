#include "cli/sensitivity_files.hpp"

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/preview.hpp"
#include "io/exporters.hpp"
#include "io/file.hpp"

namespace karst::cli {

void add_sensitivity_files(CLI::App &command, std::vector<std::string> &files) {
    command
        .add_option("-o,--output", files,
                    "A file to write; repeatable. .json: the numbers, the same bytes on every "
                    "device; .png: diagrams")
        ->type_name("FILE")
        ->allow_extra_args(false);
}

void claim_sensitivity_files(Claims &claims, const std::vector<std::string> &files) {
    for (const std::string &file : files) {
        if (io::extension_of(file) == ".png") {
            require_picture_file(file);
        } else if (io::extension_of(file) != ".json") {
            throw Error(ErrorCode::invalid_argument,
                        "'" + file + "' is no report; allowed is FILE.json or FILE.png");
        }
        claims.file(file, "-o");
    }
}

void write_sensitivity_files(const std::vector<std::string> &files,
                             const nlohmann::ordered_json &numbers,
                             const std::function<Canvas()> &picture) {
    for (const std::string &file : files) {
        if (io::extension_of(file) == ".png") {
            write_picture(file, picture(), "sensitivity");
        } else {
            io::write_file(file, numbers.dump(2) + "\n");
        }
    }
}

} // namespace karst::cli
