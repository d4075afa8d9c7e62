// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/base/try.h"
#include "core/device/known_devices.h"
#include "core/workspace/composition.h"
#include "core/workspace/devices.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

namespace plimsoll::cli {

namespace {

class SessionAdd : public Verb
{
public:
    explicit SessionAdd(CLI::App& session)
        : Verb{session, "add",
               "Add traced steps to a session, which is created if it doesn't exist"}
    {
        command().add_option("FILE", m_file, "Session (.plimsoll)")->required();
        command().add_option("INPUT", m_inputs, "Traced steps, or other sessions")->required();
        command().add_option("--device", m_device, "GPU to plan them for")->capture_default_str();
        close("Example: plimsoll-cli session add work.plimsoll gpt2.plimsoll.json.gz");
    }

    [[nodiscard]] Answer run() override
    {
        workspace::Choices choices;
        choices.device = orThrow(workspace::chooseDevice(m_device));
        const workspace::DocumentKinds kinds = workspace::documentKinds(choices);
        std::vector<workspace::DocumentPtr> documents;
        for (const std::string& input : m_inputs) {
            std::error_code error;
            if (std::filesystem::equivalent(input, m_file, error))
                throw VerbError{base::ErrorKind::Usage,
                                io::pathText(input)
                                    + " can't be added to itself: choose other files."};
            Watch watch{common().quiet ? std::string{} : "Reading " + io::pathText(input)};
            std::vector<workspace::DocumentPtr> opened =
                orThrow(workspace::openFile(input, kinds, watch.context()));
            for (workspace::DocumentPtr& document : opened)
                documents.push_back(std::move(document));
        }
        return store(documents);
    }

private:
    [[nodiscard]] Answer store(const std::vector<workspace::DocumentPtr>& documents) const
    {
        ordered_json added;
        std::string text;
        const auto addAll = [&](session::SessionStore& store) -> base::Result<void> {
            added = ordered_json::array();
            text.clear();
            // Reject a damaged session before writing anything.
            RETURN_IF_ERROR(store.documents());
            for (const workspace::DocumentPtr& document : documents) {
                ASSIGN_OR_RETURN(const session::DocumentId id, document->addTo(store));
                added.push_back({{"id", static_cast<std::int64_t>(id)},
                                 {"kind", document->kind()},
                                 {"name", document->name()},
                                 {"notes", document->notes}});
                text += fmt::format("added {} to {}\n", base::printable(document->name()),
                                    io::pathText(m_file));
                for (const std::string& each : document->notes)
                    text += fmt::format("  {}\n", each);
            }
            return {};
        };
        session::SessionFile file{m_file};
        const auto isThere = [this] {
            std::error_code error;
            return std::filesystem::exists(m_file, error);
        };
        const auto addToIt = [&] {
            return file.write(
                [&](session::SessionStore& store) { return store.transaction(addAll); });
        };
        const bool wasThere = isThere();
        base::Result<void> done = wasThere ? addToIt() : file.create(addAll);
        if (!done && !wasThere && isThere()) // created by another program in the meantime
            done = addToIt();
        orThrow(std::move(done));
        Answer answer;
        answer.json = {{"file", m_file}, {"documents", std::move(added)}};
        answer.text = std::move(text);
        return answer;
    }

    std::string m_file;
    std::vector<std::string> m_inputs;
    std::string m_device{plan::kDefaultDevice};
};

} // namespace

std::unique_ptr<Verb> sessionAddVerb(CLI::App& session)
{
    return std::make_unique<SessionAdd>(session);
}

} // namespace plimsoll::cli
