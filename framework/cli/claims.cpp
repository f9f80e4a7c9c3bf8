// rfbench claims: what result files say of the papers' claims.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "claim_answers.hpp"
#include "rfbench/claims/claim_table.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/text/nearest.hpp"
#include "study/project.hpp"
#include "verbs.hpp"
#include "wrapped.hpp"

namespace rfbench::cli {

namespace {

/// Collected files of a folder, each read when it is first asked for.
class ResultFolder {
public:
    explicit ResultFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    const store::Dataset* operator()(const std::string& configuration) {
        const auto [found, is_new] = read_.try_emplace(configuration);
        const std::filesystem::path file = folder_ / (configuration + ".h5");
        if (is_new && std::filesystem::exists(file)) found->second = store::read(file);
        return found->second ? &*found->second : nullptr;
    }

private:
    std::filesystem::path folder_;
    std::map<std::string, std::optional<store::Dataset>> read_;
};

/// Kinds of filters; place: an experiment or a configuration.
enum class Kind { id, paper, verdict, method, place };

/// The kind by which a filter means a claim; none where it does not.
std::optional<Kind> meant(const std::string& filter, const claims::Answer& answer) {
    const claims::Claim& claim = *answer.claim;
    if (filter == claim.id) return Kind::id;
    if (filter == claim.paper) return Kind::paper;
    if (filter == in_words(answer.verdict)) return Kind::verdict;
    const auto methods = claim.methods();
    if (std::find(methods.begin(), methods.end(), filter) != methods.end()) return Kind::method;
    const auto configurations = claim.configurations();
    const bool place = std::any_of(configurations.begin(), configurations.end(), [&](const std::string& one) {
        return filter == one || one.starts_with(filter + "/");
    });
    return place ? std::optional(Kind::place) : std::nullopt;
}

std::vector<claims::Answer> filtered(std::vector<claims::Answer> answers, const std::vector<std::string>& filters) {
    for (const std::string& filter : filters) {
        if (std::any_of(answers.begin(), answers.end(),
                        [&](const auto& one) { return meant(filter, one).has_value(); }))
            continue;
        std::vector<std::string> known{"holds", "fails", "undecided", "not judged"};
        for (const auto& one : answers) {
            known.push_back(one.claim->id);
            for (const std::string& name : one.claim->configurations()) known.push_back(name);
            for (const std::string& name : one.claim->methods()) known.push_back(name);
        }
        known.insert(known.end(), claims::papers().begin(), claims::papers().end());
        const std::filesystem::path configuration = experiments::project() / "configs" / (filter + ".yaml");
        if (std::filesystem::exists(configuration))
            throw InputError(fmt::format("no claim is answered by '{}', though it is a configuration", filter));
        throw InputError(
            fmt::format("no claim is meant by '{}': give an id, a paper ({}), a verdict, a method, an "
                        "experiment or a configuration.{}",
                        filter, fmt::join(claims::papers(), ", "), did_you_mean(filter, known)));
    }
    // Filters of one kind are alternatives; those of different kinds narrow each other down.
    std::map<Kind, std::vector<std::string>> by_kind;
    for (const std::string& filter : filters)
        for (const auto& one : answers)
            if (const std::optional<Kind> kind = meant(filter, one)) {
                by_kind[*kind].push_back(filter);
                break;
            }
    std::erase_if(answers, [&](const auto& one) {
        return !std::all_of(by_kind.begin(), by_kind.end(), [&](const auto& alternatives) {
            return std::any_of(alternatives.second.begin(), alternatives.second.end(),
                               [&](const std::string& filter) { return meant(filter, one).has_value(); });
        });
    });
    return answers;
}

/// For a screen: id, verdict and claim, and below it what was measured and what is to be known.
std::string on_screen(const claims::ClaimList& list, const std::vector<claims::Answer>& answers) {
    constexpr std::size_t indent = 22;
    std::string text;
    const auto add = [&](const std::string& line) {
        if (!line.empty()) text += wrapped(std::string(indent, ' ') + line, 0, 110);
    };
    for (const claims::Answer& one : answers) {
        const claims::Claim& claim = *one.claim;
        text += wrapped(fmt::format("{:<8} {:<12} {}", claim.id, in_words(one.verdict), claim.sentence), indent, 110);
        std::string numbers = fmt::format("{}, {}", claim.paper, claim.place);
        if (!one.cells.empty()) numbers += fmt::format(": {}; asked {}", measured_text(one), rule_text(one));
        if (claim.printed != "-") numbers += "; printed " + claim.printed;
        add(numbers);
        add(note_text(list, one));
    }
    return text + "\n" + wrapped(summary(answers), 0, 110) + wrapped(error_text(list), 0, 110);
}

}  // namespace

claims::ClaimList claim_list() { return claims::read_claims(experiments::project() / "data" / "claims.yaml"); }

std::vector<claims::Answer> answers_of(const claims::ClaimList& list, const std::filesystem::path& results) {
    ResultFolder folder(results);
    return claims::answers(list, std::ref(folder));
}

int claims(const std::filesystem::path& results, const std::vector<std::string>& filters, const std::string& format) {
    const claims::ClaimList list = claim_list();
    const auto answers = filtered(answers_of(list, results), filters);
    if (format == "json") {
        fmt::print("{}", claims::json(list, answers));
        return success;
    }
    if (format == "table") {
        fmt::print("{}", on_screen(list, answers));
        return success;
    }
    if (format == "csv") {
        fmt::print("{}", report::csv(claims::table_with_numbers(list, answers)));
        return success;
    }
    const report::Table table = claims::table(list, answers);
    fmt::print("{}", format == "md" ? report::markdown(table) : report::latex(table));
    return success;
}

}  // namespace rfbench::cli
