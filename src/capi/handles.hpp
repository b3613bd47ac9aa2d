// The objects behind the handles of the C interface. A handle is a number that is never used
// twice, so that a wrong one is found without looking at memory that it may point to.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "capi/call.hpp"

namespace karst::capi {

// A new number for a handle of any kind.
std::uintptr_t next_handle();

// Of all tables. It is held while a process forks, with those of requests and results, so that what
// the child has is whole.
std::mutex &handles_mutex();

// `what` names the handle in messages. Objects that a call still uses live until it ends, also if
// another thread destroys them.
template <class Handle, class Object>
class Handles {
public:
    explicit Handles(const char *what) : what_(what) {}

    Handle *add(std::shared_ptr<Object> object) {
        const std::lock_guard lock(handles_mutex());
        const std::uintptr_t number = next_handle();
        objects_.emplace(number, std::move(object));
        return reinterpret_cast<Handle *>(number);
    }

    std::shared_ptr<Object> get(const Handle *handle) const {
        const std::lock_guard lock(handles_mutex());
        const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
        if (found == objects_.end()) {
            refuse(handle);
        }
        return found->second;
    }

    // Takes it out of the table.
    std::shared_ptr<Object> remove(const Handle *handle) {
        const std::lock_guard lock(handles_mutex());
        const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
        if (found == objects_.end()) {
            refuse(handle);
        }
        std::shared_ptr<Object> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    // With the mutex held.
    template <class F>
    void for_each(F &&f) const {
        for (const auto &[number, object] : objects_) {
            f(*object);
        }
    }

private:
    [[noreturn]] void refuse(const Handle *handle) const {
        throw CallError(KARST_INVALID_HANDLE,
                        std::string(what_) + (handle == nullptr
                                                  ? " is null"
                                                  : " is none that exists: it was destroyed, or "
                                                    "never made"));
    }

    const char *what_;
    std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

struct Request;
struct JobState;
struct Result;

Handles<karst_request, Request> &requests();
Handles<karst_job, JobState> &jobs();
Handles<karst_result, Result> &results();

} // namespace karst::capi
