#include "rfbench/datasets/generate_nursery.hpp"

#include <fmt/format.h>

#include <iterator>

namespace rfbench::datasets {

namespace {

// The values in the order of the file; the tables below go by their places here.
constexpr const char* parents[] = {"usual", "pretentious", "great_pret"};
constexpr const char* nurseries[] = {"proper", "less_proper", "improper", "critical", "very_crit"};
constexpr const char* forms[] = {"complete", "completed", "incomplete", "foster"};
constexpr const char* children[] = {"1", "2", "3", "more"};
constexpr const char* housings[] = {"convenient", "less_conv", "critical"};
constexpr const char* finances[] = {"convenient", "inconv"};
constexpr const char* socials[] = {"nonprob", "slightly_prob", "problematic"};
constexpr const char* healths[] = {"recommended", "priority", "not_recom"};

enum Social { problematic = 2 };
enum Health { recommended = 0, not_recommended = 2 };

/// How much the parents' work and the child's present nursery speak for a place: [parents][nursery], 0 .. 3.
constexpr int employment[3][5] = {{0, 1, 1, 2, 3}, {1, 1, 2, 3, 3}, {2, 2, 3, 3, 3}};

/// How hard the family has it by its form and number of children: [form][children], 0 .. 2.
constexpr int structure[4][4] = {{0, 1, 2, 2}, {1, 1, 2, 2}, {1, 2, 2, 2}, {2, 2, 2, 2}};

/// The same with housing and finances: [structure][housing][finance], 0 .. 2.
constexpr int standing[3][3][2] = {{{0, 1}, {1, 1}, {1, 1}}, {{1, 1}, {1, 1}, {2, 2}}, {{1, 2}, {2, 2}, {2, 2}}};

constexpr const char* R = "recommend";
constexpr const char* V = "very_recom";
constexpr const char* P = "priority";
constexpr const char* S = "spec_prior";

/// The rank of an application that health does not rule out: [social or health asks for care][employment][standing].
constexpr const char* ranks[2][4][3] = {{{R, V, P}, {V, V, P}, {P, P, P}, {P, P, S}},
                                        {{P, P, P}, {P, P, P}, {P, P, S}, {P, S, S}}};

const char* rank(int work, int family, int social, int health) {
    // Health rules out an application before all else.
    if (health == not_recommended) return "not_recom";
    const bool care = health != recommended || social == problematic;
    return ranks[care][work][family];
}

}  // namespace

std::string generate_nursery() {
    std::string text;
    const auto add_family = [&](int parent, int nursery, int form, int child) {
        for (int housing = 0; housing < std::ssize(housings); ++housing)
            for (int finance = 0; finance < std::ssize(finances); ++finance)
                for (int social = 0; social < std::ssize(socials); ++social)
                    for (int health = 0; health < std::ssize(healths); ++health) {
                        const char* const ranked =
                            rank(employment[parent][nursery], standing[structure[form][child]][housing][finance],
                                 social, health);
                        text += fmt::format("{},{},{},{},{},{},{},{},{}\n", parents[parent], nurseries[nursery],
                                            forms[form], children[child], housings[housing], finances[finance],
                                            socials[social], healths[health], ranked);
                    }
    };
    for (int parent = 0; parent < std::ssize(parents); ++parent)
        for (int nursery = 0; nursery < std::ssize(nurseries); ++nursery)
            for (int form = 0; form < std::ssize(forms); ++form)
                for (int child = 0; child < std::ssize(children); ++child) add_family(parent, nursery, form, child);
    return text + "\n";
}

}  // namespace rfbench::datasets
