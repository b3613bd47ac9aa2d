#include "cli/digest_lock.hpp"

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "io/file.hpp"
#include "io/json_file.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kLockVersion = 1;

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
    throw Error(ErrorCode::invalid_input,
                path + ": " + why + "; karst run --update-lock writes it");
}

} // namespace

DigestLock DigestLock::read(const std::string &path) {
    const Json root = io::read_json(path);
    if (!root.is_object() || !root.contains("karst_lock") || root["karst_lock"] != kLockVersion ||
        !root.contains("items") || !root["items"].is_object()) {
        refuse(path,
               "it is no list of approved digests of version " + std::to_string(kLockVersion));
    }
    DigestLock lock;
    for (const auto &item : root["items"].items()) {
        if (!item.value().is_object()) {
            refuse(path, "the item '" + item.key() + "' is no object");
        }
        for (const auto &layer : item.value().items()) {
            if (!layer.value().is_string()) {
                refuse(path, "the layer '" + layer.key() + "' of '" + item.key() +
                                 "' has no digest as text");
            }
            lock.items_[item.key()][layer.key()] = layer.value().get<std::string>();
        }
    }
    return lock;
}

void DigestLock::check(const std::string &item, std::span<const LayerDigest> layers) const {
    const auto approved = items_.find(item);
    for (const auto &[file, found] : layers) {
        const auto fail = [&, &name = file, &digest = found](const std::string &allowed) {
            throw Error(ErrorCode::requirement_failed, "the file '" + name + "' of '" + item +
                                                           "' has the digest " + digest + "; " +
                                                           allowed);
        };
        if (approved == items_.end() || !approved->second.contains(file)) {
            fail("the lock approves none");
        } else if (approved->second.at(file) != found) {
            fail("approved is " + approved->second.at(file));
        }
    }
}

void DigestLock::approve(const std::string &item, std::span<const LayerDigest> layers) {
    for (const auto &[file, digest] : layers) {
        items_[item][file] = digest;
    }
}

void DigestLock::write(const std::string &path) const {
    Json root{{"karst_lock", kLockVersion}, {"items", Json::object()}};
    for (const auto &[item, layers] : items_) {
        for (const auto &[layer, digest] : layers) {
            root["items"][item][layer] = digest;
        }
    }
    io::write_file(path, root.dump(2) + "\n");
}

} // namespace karst::cli
