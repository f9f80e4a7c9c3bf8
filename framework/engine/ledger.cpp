#include "rfbench/engine/ledger.hpp"

#include <fmt/format.h>

namespace rfbench::engine {

History history(const std::filesystem::path& journal) {
    const store::JournalContents contents = store::read_journal(journal);
    History past;
    for (const store::Event& event : contents.events) {
        if (event.event == "fresh") past = {};
        if (event.event == "collected") past.collected = event;
        if (event.event == "done") past.done[event.key] = event;
        if (event.event == "done" || event.event == "failed") past.last[event.key] = event;
    }
    for (const auto& bad : contents.damaged)
        past.damaged.push_back(fmt::format("{}:{}: {}; what this line reported is taken as not done", journal.string(),
                                           bad.line, bad.reason));
    return past;
}

}  // namespace rfbench::engine
