#include "rfbench/engine/journal_summary.hpp"

#include <fmt/format.h>

#include "rfbench/engine/layout.hpp"

namespace rfbench::engine {

JournalSummary history(const std::filesystem::path& folder) {
    JournalSummary past;
    for (const std::filesystem::path& journal : journals(folder)) {
        const store::JournalContents contents = store::read_journal(journal);
        for (const store::Event& event : contents.events) {
            // The last of each kind counts. That a failed cell was computed later is seen in the store.
            if (event.event == "collected") past.collected = event;
            if (event.event == "interrupted") past.interrupted = event.reason;
            if (event.event == "failed") past.failed[event.identity] = event;
        }
        for (const auto& bad : contents.damaged)
            past.damaged.push_back(fmt::format("{}:{}: {}; what this line reported is taken as not done",
                                               journal.string(), bad.line, bad.reason));
    }
    return past;
}

}  // namespace rfbench::engine
