// The digest table of karst's results.
//
//   karst_golden [--device D] [--threads N] [--update FILE | --check FILE]
//
// Prints the table, writes it or compares it: lines "NAME DIGEST", sorted by name. Exit status 1 if
// a line differs, is missing or is new, 2 for wrong arguments or a file that cannot be used.
#include <fstream>
#include <iostream>
#include <sstream>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "golden.hpp"

using namespace karst;

namespace {

std::string table(const std::map<std::string, std::uint64_t> &digests) {
    std::string text;
    for (const auto &[name, digest] : digests) {
        text += name + " " + seed_to_string(digest) + "\n";
    }
    return text;
}

int check(const std::map<std::string, std::uint64_t> &digests, const std::string &path) {
    std::ifstream file(path);
    if (!file) {
        std::cerr << "karst_golden: cannot read '" << path << "'\n";
        return 2;
    }
    std::map<std::string, std::string> expected;
    std::string name, value;
    while (file >> name >> value) {
        expected[name] = value;
    }
    int wrong = 0;
    for (const auto &[key, digest] : digests) {
        const auto found = expected.find(key);
        const std::string got = seed_to_string(digest);
        if (found == expected.end()) {
            std::cout << "new      " << key << " " << got << "\n";
            ++wrong;
            continue;
        }
        if (found->second != got) {
            std::cout << "differs  " << key << " " << got << ", expected " << found->second << "\n";
            ++wrong;
        }
        expected.erase(found);
    }
    for (const auto &[key, digest] : expected) {
        std::cout << "missing  " << key << "\n";
        ++wrong;
    }
    std::cout << digests.size() << " digests, " << wrong << " not as in " << path << "\n";
    if (wrong > 0) {
        std::cout << "A change of output needs a new algorithm version. If the change is meant, "
                     "build the target update-golden.\n";
    }
    return wrong == 0 ? 0 : 1;
}

} // namespace

int main(int count, char **arguments) {
    Options options;
    std::string update_path, check_path;
    try {
        for (int i = 1; i < count; i += 2) {
            const std::string name = arguments[i];
            const std::string value = i + 1 < count ? arguments[i + 1] : "";
            if (value.empty()) {
                throw Error(ErrorCode::invalid_argument, name + " needs a value");
            }
            if (name == "--update") {
                update_path = value;
            } else if (name == "--check") {
                check_path = value;
            } else if (name == "--device") {
                options.device = parse_device(value);
            } else if (name == "--threads") {
                options.threads = std::stoi(value);
            } else {
                throw Error(ErrorCode::invalid_argument, "unknown argument '" + name + "'");
            }
        }
        const auto digests = test::golden_digests(options);
        if (!check_path.empty()) {
            return check(digests, check_path);
        }
        if (update_path.empty()) {
            std::cout << table(digests);
            return 0;
        }
        std::ofstream file(update_path);
        file << table(digests);
        return file.flush() ? 0 : 2;
    } catch (const std::exception &error) {
        std::cerr << "karst_golden: " << error.what() << "\n";
        return 2;
    }
}
