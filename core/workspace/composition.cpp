// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/composition.h"

#include "core/workspace/comparison/comparison_document.h"
#include "core/workspace/file_formats.h"
#include "core/workspace/profile/profile_document.h"
#include "core/workspace/waterfall/waterfall_document.h"

#include <utility>

namespace plimsoll::workspace {

DocumentKinds documentKinds(OpeningOf opening)
{
    return {fileFormats(),
            {planDocuments(std::move(opening)), profileDocuments(), comparisonDocuments(),
             waterfallDocuments()}};
}

DocumentKinds documentKinds(const Choices& choices)
{
    return documentKinds([choices](const std::filesystem::path& /*file*/) {
        return Opening{choices, {}, false};
    });
}

} // namespace plimsoll::workspace
