// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/composition.h"

#include "core/workspace/file_formats.h"
#include "core/workspace/plan_document.h"

namespace plimsoll::workspace {

DocumentKinds documentKinds(const Choices& defaults)
{
    return {fileFormats(), {planDocuments(defaults)}};
}

} // namespace plimsoll::workspace
