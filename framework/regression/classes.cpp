#include "rfbench/regression/classes.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace rfbench::regression {
namespace {

template <class Row>
bool comes_before(const Row& a, const Row& b) {
    return std::lexicographical_compare(a.data(), a.data() + a.size(), b.data(), b.data() + b.size());
}

}  // namespace

ClassifiedRows by_class(const PointsView& rows, const std::vector<int>& classes) {
    if (rows.rows() == 0) throw std::invalid_argument("regression: there is no training row");
    if (static_cast<std::size_t>(rows.rows()) != classes.size())
        throw std::invalid_argument("regression: there are " + std::to_string(rows.rows()) + " training rows and " +
                                    std::to_string(classes.size()) + " classes of rows");
    std::map<int, std::vector<Index>> members;
    for (Index i = 0; i < rows.rows(); ++i) members[classes[static_cast<std::size_t>(i)]].push_back(i);
    std::vector<std::pair<int, std::vector<Index>>> order(members.begin(), members.end());
    // Largest first, then the one that is seen first: of equal scores the first class wins.
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.second.size() != b.second.size() ? a.second.size() > b.second.size()
                                                  : a.second.front() < b.second.front();
    });

    ClassifiedRows result{Points(rows.rows(), rows.cols()), {}, {0}};
    Index next = 0;
    for (auto& [label, own] : order) {
        // Sorted rows are like the rows before them, which products::RowsSharingEntries makes use of.
        std::stable_sort(own.begin(), own.end(),
                         [&](Index i, Index j) { return comes_before(rows.row(i), rows.row(j)); });
        for (const Index i : own) result.rows.row(next++) = rows.row(i);
        result.classes.push_back(label);
        result.starts.push_back(next);
    }
    return result;
}

Index Predictions::count_undecided() const { return std::count(classes.begin(), classes.end(), undecided); }

double Predictions::accuracy(const std::vector<int>& truth) const {
    if (truth.size() != classes.size() || truth.empty())
        throw std::invalid_argument("regression: " + std::to_string(classes.size()) + " predictions for " +
                                    std::to_string(truth.size()) + " rows");
    std::size_t right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == classes[i] ? 1 : 0;
    return static_cast<double>(right) / static_cast<double>(truth.size());
}

}  // namespace rfbench::regression
