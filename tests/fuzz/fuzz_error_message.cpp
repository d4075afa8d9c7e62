// SPDX-License-Identifier: Apache-2.0
// Any bytes are a message or an error of one sentence; what is read of a message makes a diagnosis.
#include "core/doctor/diagnose.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace plimsoll;
    const auto message = doctor::parseErrorMessage(
        {reinterpret_cast<const char*>(data), size}); // NOLINT(*-reinterpret-cast)
    if (!message)
        return message.error().message.ends_with('.') ? 0 : (std::abort(), 0);
    if (!message->asked || message->messages == 0 || message->asked->value.count() < 0)
        std::abort();
    for (const doctor::Remedy& remedy : doctor::diagnose(*message).remedies)
        if (remedy.text.empty() || (remedy.saves && remedy.saves->count() < 0))
            std::abort();
    return 0;
}
