#include "cli/control_files.hpp"

#include <algorithm>

#include <karst/error.hpp>

#include "core/resample.hpp"
#include "core/run.hpp"

namespace karst::cli {

namespace {

constexpr std::string_view kForm = "NAME=FILE.png or NAME=FILE.png@BLACK..WHITE";

const ParamInfo *number_named(const ParamSet &params, const std::string &name) {
    const auto infos = params.infos();
    const auto found = std::find_if(infos.begin(), infos.end(), [&](const ParamInfo &info) {
        return info.name == name && info.type == ParamType::real;
    });
    return found == infos.end() ? nullptr : &*found;
}

} // namespace

ControlFile parse_control_file(const std::string &text, const ParamSet &params) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
        throw Error(ErrorCode::invalid_argument,
                    "map is '" + text + "'; allowed is " + std::string(kForm));
    }
    ControlFile file{"map", text.substr(0, equals), text.substr(equals + 1)};
    const ParamInfo *const info = number_named(params, file.name);
    const std::size_t at = file.path.rfind('@');
    const std::size_t dots = at == std::string::npos ? at : file.path.find("..", at);
    if (dots == std::string::npos) {
        file.white = info == nullptr ? 0 : std::get<double>(params.value(file.name));
        return file;
    }
    const std::string black = file.path.substr(at + 1, dots - at - 1);
    const std::string white = file.path.substr(dots + 2);
    file.path.resize(at);
    if (info != nullptr) { // else the generator refuses the name
        file.black = parse_real(*info, black);
        file.white = parse_real(*info, white);
    }
    return file;
}

std::string painted_file(const std::string &text) {
    const std::string file = text.substr(text.find('=') + 1);
    const std::size_t at = file.rfind('@');
    return at != std::string::npos && file.find("..", at) != std::string::npos ? file.substr(0, at)
                                                                               : file;
}

std::string control_text(const io::InputMap &map, const std::string &path) {
    return map.name + "=" + path + "@" + to_string(ParamValue(map.black)) + ".." +
           to_string(ParamValue(map.white));
}

std::vector<ControlFile> control_files(const AssetRequest &request, const ParamSet &params) {
    std::vector<ControlFile> files;
    const auto add = [&](const char *option, const char *name, const OptionalText &path) {
        if (path) {
            files.push_back({option, name, *path});
        }
    };
    add("food", "food", request.food);
    add("walls_map", "walls", request.walls_map);
    add("spawn_map", "spawn", request.spawn_map);
    add("grow", "grow", request.grow);
    for (const std::string &text : request.maps) {
        files.push_back(parse_control_file(text, params));
    }
    return files;
}

io::HoleMask hole_mask(const Field2D<std::uint16_t> &map, Extent2 samples, const Options &options) {
    Options own = options;
    own.progress = nullptr; // the job's has ended
    core::Run run(own);
    return core::resample_mask(run, map,
                               {core::over_all(samples.width), core::over_all(samples.height)});
}

std::uint64_t hole_memory(const Field2D<std::uint16_t> &map, Extent2 samples) {
    constexpr std::uint64_t kOfSample = 6; // the mask, a tile's part of it, that part in 32 bits
    return map.cells().size_bytes() + kOfSample * static_cast<std::uint64_t>(samples.cells());
}

} // namespace karst::cli
