#include "core/range.hpp"

#if defined(KARST_WITH_CUDA)
#include <nvtx3/nvToolsExt.h>
#endif

namespace karst::core {

#if defined(KARST_WITH_CUDA)

namespace {

nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t handle = nvtxDomainCreateA("karst");
    return handle;
}

} // namespace

// Not those of a thread's stack: a job may end on another thread than it began.
Range::Range(const char *name) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    id_ = nvtxDomainRangeStartEx(domain(), &attributes);
}

Range::~Range() {
    nvtxDomainRangeEnd(domain(), id_);
}

#else

Range::Range(const char *) : id_(0) {}

Range::~Range() {
    static_cast<void>(id_);
}

#endif

} // namespace karst::core
