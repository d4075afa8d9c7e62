// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::stand_in {

/// Loads the library that CUDA_INJECTION64_PATH names and calls its InitializeInjection(), once, as
/// the driver does when it is initialised.
void loadInjection();

} // namespace plimsoll::stand_in
