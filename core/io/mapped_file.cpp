// SPDX-License-Identifier: Apache-2.0
#include "core/io/mapped_file.h"

#include "core/base/try.h"
#include "core/io/input.h"

#include <fmt/format.h>

#include <cerrno>
#include <sys/mman.h>
#include <utility>

namespace plimsoll::io {

base::Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    ASSIGN_OR_RETURN(const Input input, Input::open(path));
    const auto size = static_cast<std::size_t>(input.size());
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, input.descriptor(), 0);
    if (address == MAP_FAILED) // NOLINT(*-casting-through-void,*-no-int-to-ptr)
        return base::failure(base::ErrorKind::File, fmt::format("{} can't be read ({}).",
                                                                input.name(), systemText(errno)));
    return MappedFile{{static_cast<const char*>(address), size}};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes{std::exchange(other.m_bytes, {})} {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty())
        ::munmap(const_cast<char*>(m_bytes.data()), m_bytes.size()); // NOLINT(*-const-cast)
}

} // namespace plimsoll::io
