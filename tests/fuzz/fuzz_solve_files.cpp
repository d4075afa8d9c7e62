// SPDX-License-Identifier: Apache-2.0
// Any bytes are a problem of `plimsoll-cli solve` (a packing, a chain, a graph) or an error of one
// sentence. The solver takes every accepted problem; writing a packing's offsets leaves it
// unchanged.
#include "core/solve/chain/rotor/chain_file.h"
#include "core/solve/pack/pack_csv.h"
#include "core/solve/remat/search/remat_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace plimsoll;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void requireSentence(const base::Error& error)
{
    require(error.kind == base::ErrorKind::File);
    require(error.message.ends_with('.') && error.message.find('\n') == std::string::npos);
}

void tryPacking(std::string_view text)
{
    const base::Result<solve::PackCsv> csv = solve::readPackCsv(std::string{text});
    if (!csv)
        return requireSentence(csv.error());
    require(solve::validate(csv->buffers).has_value());
    require(csv->lines.size() == csv->buffers.size());
    const solve::PackOffsets offsets(csv->buffers.size(), 7);
    const base::Result<solve::PackCsv> again =
        solve::readPackCsv(solve::withOffsets(*csv, offsets));
    require(again && again->buffers == csv->buffers);
}

void tryChain(std::string_view text)
{
    const base::Result<solve::Chain> chain = solve::readChain(text);
    if (!chain)
        return requireSentence(chain.error());
    require(solve::validate(*chain).has_value());
}

void tryGraph(std::string_view text)
{
    const base::Result<solve::RematFile> file = solve::readRemat(text);
    if (!file)
        return requireSentence(file.error());
    require(file->nodes.size() == file->problem.ops.size());
    for (std::size_t op = 0; op < file->problem.ops.size(); ++op)
        for (const std::uint32_t value : file->problem.ops[op].reads)
            require(value < file->problem.values.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), // NOLINT(*-reinterpret-cast)
                                size};
    tryPacking(text);
    tryChain(text);
    tryGraph(text);
    return 0;
}
