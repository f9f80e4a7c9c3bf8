#include "rfbench/regression/indicator_regression.hpp"

#include <stdexcept>

#include "rfbench/decompositions/cholesky.hpp"

namespace rfbench::regression {
namespace {

Points with_constant(const Points& rows) {
    Points all(rows.rows(), rows.cols() + 1);
    all << rows, Vector::Ones(rows.rows());
    return all;
}

}  // namespace

IndicatorRegression::IndicatorRegression(Index columns, int classes)
    : gram_(Eigen::MatrixXd::Zero(columns + 1, columns + 1)), products_(Eigen::MatrixXd::Zero(columns + 1, classes)) {}

void IndicatorRegression::add(const Points& rows, const std::vector<int>& classes) {
    if (rows.cols() + 1 != gram_.cols() || static_cast<Index>(classes.size()) != rows.rows())
        throw std::invalid_argument("indicator regression: rows of another width, or another number of classes");
    Points indicators = Points::Zero(rows.rows(), products_.cols());
    for (Index i = 0; i < rows.rows(); ++i) {
        const int own = classes[static_cast<std::size_t>(i)];
        if (own < 0 || own >= indicators.cols())
            throw std::invalid_argument("indicator regression: there is no class " + std::to_string(own));
        indicators(i, own) = 1;
    }
    const Points all = with_constant(rows);
    gram_.noalias() += all.transpose() * all;
    products_.noalias() += all.transpose() * indicators;
}

Points IndicatorRegression::fit(double ridge) const {
    // The constant is in every row, so that its entry is their number.
    const Index last = gram_.rows() - 1;
    const double count = gram_(last, last);
    if (!(count > 0) || !(ridge > 0))
        throw std::invalid_argument("indicator regression: needs rows, and a ridge above zero");
    Eigen::MatrixXd penalized = gram_;
    penalized.diagonal().head(last).array() += ridge * count;
    return decompositions::Cholesky(penalized).solve(products_);
}

std::vector<int> largest_outputs(const Points& map, const Points& rows) {
    const Points outputs = with_constant(rows) * map;
    std::vector<int> all;
    for (Index i = 0; i < outputs.rows(); ++i) {
        Index best = 0;
        outputs.row(i).maxCoeff(&best);
        all.push_back(static_cast<int>(best));
    }
    return all;
}

}  // namespace rfbench::regression
