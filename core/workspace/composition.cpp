// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/composition.h"

#include "core/workspace/file_formats.h"

namespace plimsoll::workspace {

DocumentKinds documentKinds(const Choices& defaults)
{
    return {fileFormats(), {planDocuments(defaults)}};
}

base::Result<PlanDocument> openPlan(const std::filesystem::path& path, const Choices& defaults,
                                    const base::JobContext& job)
{
    base::Result<std::vector<DocumentPtr>> opened = openFile(path, documentKinds(defaults), job);
    if (!opened)
        return tl::unexpected{opened.error()};
    auto* plan = dynamic_cast<PlanDocument*>(opened->front().get());
    if (plan == nullptr)
        return base::failure(base::ErrorKind::File, io::pathText(path) + " holds no traced step.");
    return std::move(*plan);
}

} // namespace plimsoll::workspace
