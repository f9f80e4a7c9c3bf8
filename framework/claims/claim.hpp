#pragma once
// Claims of the papers, as data/claims.yaml lists them (docs/claims.md says what its keys mean).
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/claims/expression.hpp"
#include "rfbench/decisions/verdict.hpp"
#include "rfbench/report/slice.hpp"

namespace rfbench::claims {

/// Part of an axis: one label, which fixes it, or several, which stay.
struct Part {
    std::string axis;
    std::vector<report::Label> labels;  ///< empty where there is a range
    bool fixed = false;                 ///< one label that was given as such
    double least = 0, greatest = 0;     ///< of the numbers of an axis, both within
};

/// Values of one variable of a result file.
struct Query {
    std::string configuration;  ///< "cost/attention"
    std::string variable;
    std::vector<Part> parts;
};

struct Rule {
    decisions::Relation relation;
    std::string low, high;  ///< expressions; empty where the relation has none
};

enum class Kind {
    measured,  ///< by a study: answered from result files
    formula,   ///< a formula's check, evaluated here
    print,     ///< arithmetic on printed numbers
};

struct Claim {
    std::string id, paper, place, sentence, printed;
    Kind kind = Kind::measured;
    std::string erratum;  ///< what is wrong in the print; empty where nothing is known
    std::string lacks;    ///< why nothing answers it; empty where something does
    std::map<std::string, Query> values;
    std::map<std::string, std::vector<double>> numbers;
    std::map<std::string, std::vector<double>> grid;
    std::vector<std::string> shows;  ///< expressions, each of which must satisfy the rule
    std::string over;                ///< axis of independent repeats; empty: values have no error
    std::string trials;              ///< expression: `shows` counts successes among so many
    bool z_scores = false;           ///< values are normal with a standard error of 1
    std::string overlap;             ///< expression: rows of test splits over those of training splits
    std::optional<Rule> rule;
    decisions::Quantifier quantifier = decisions::Quantifier::all;
    std::string family;  ///< claims that share an error; its configuration, unless given
    std::string where;   ///< "file:line:column: key.path"

    /// Configurations whose results answer it.
    std::vector<std::string> configurations() const;
    /// Methods that its values name, each once, by name.
    std::vector<std::string> methods() const;
};

struct ClaimList {
    double level;  ///< of each family's error
    std::vector<Claim> claims;
};

/// The claims of a file. Throws config::Error, "file:line:column: key: sentence", for what its schema does not allow,
/// an id that is given twice, an expression that is none or takes a name that is not given.
ClaimList read_claims(const std::filesystem::path&);
/// The same of a text; `name` takes the file's place in messages.
ClaimList parse_claims(std::string_view text, const std::string& name);

/// "thesis", "dof", "luna" or "dijiang".
const std::vector<std::string>& papers();

}  // namespace rfbench::claims
