// SPDX-License-Identifier: Apache-2.0
#include "core/io/source.h"

#include "core/base/try.h"

#include <utility>

namespace plimsoll::io {

Source::Source(std::filesystem::path path) : m_path{std::move(path)} {}

Source::Source(std::filesystem::path path, std::string content) : m_path{std::move(path)}
{
    content.reserve(content.size() + kPadding);
    const FileFacts facts{false, content.size()};
    m_content = std::make_shared<const FileContent>(FileContent{std::move(content), facts});
}

base::Result<std::string> Source::head(std::size_t count) const
{
    return m_content ? m_content->bytes.substr(0, count) : readHead(m_path, count);
}

base::Result<void> Source::stream(const Sink& sink, const base::JobContext& context,
                                  const ReadLimits& limits) const
{
    return m_content ? sink(m_content->bytes, m_content->file)
                     : streamFile(m_path, sink, context, limits);
}

base::Result<std::shared_ptr<const FileContent>> Source::whole(const base::JobContext& context,
                                                               const ReadLimits& limits)
{
    if (!m_content) {
        ASSIGN_OR_RETURN(FileContent content, readFile(m_path, context, limits));
        m_content = std::make_shared<const FileContent>(std::move(content));
    }
    return m_content;
}

} // namespace plimsoll::io
