#pragma once
// Methods are compared. A method is a mechanism with a sampling, a function of generalized attention, a baseline, exact
// attention, a map that is trained: one kind a file in methods/, all of them in the list of `rfbench list methods`.
// Every study names them in its key `methods`, in one grammar, and takes those that can do what it needs.
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rfbench/attention/decoding.hpp"
#include "rfbench/attention/methods.hpp"
#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/features/mechanism.hpp"
#include "rfbench/regression/classes.hpp"
#include "rfbench/training/head_attention.hpp"
#include "rfbench/training/point_training.hpp"

namespace rfbench::experiments {

/// Abilities that a study may ask for. Each but `exact` is an interface of Method, or a property of one.
enum class Ability {
    kernel,        ///< a mechanism whose features estimate the Gaussian kernel
    moments,       ///< and states the moments of one draw, exactly
    covariance,    ///< and the covariance of two orthogonal draws
    rows,          ///< RowFeatures: features of rows of any data
    row_kernel,    ///< RowFeatures that estimate the Gaussian kernel
    features,      ///< HeadFeatures
    attention,     ///< Outputs
    causal,        ///< Outputs of queries that see no later key
    layer,         ///< NetworkLayers
    causal_layer,  ///< NetworkLayers whose queries see no later key
    found,         ///< Finder
    trained,       ///< Finder that trains what it finds, and so has losses
    prediction,    ///< Predictor
    decoding,      ///< Decoders
    exact,         ///< softmax attention and the kernel themselves: what others estimate
};
/// "estimates no kernel": what a method that cannot is told.
std::string missing_ability_text(Ability);

/// The sequences of one head that features are found from.
struct HeadProblem {
    std::vector<dof::Sequence> sequences;
    Points points;  ///< J queries and keys that stand for their law, J x d
    double lambda;  ///< of the degrees of freedom
    training::PointTraining training;
};

/// Draws features, at a cost of at most `columns` real ones (at least one draw).
using Drawing =
    std::function<std::shared_ptr<const features::FeatureMap>(Index columns, const sampling::Scheme&, const Stream&)>;

/// Size of an attention problem.
struct AttentionSize {
    Index length, dimension;    ///< keys, which are as many as queries in self-attention; d
    Index columns;              ///< about the cost of linear attention through so many real columns
    Index first_fit = 128;      ///< tokens before the first fit to a prefix (attention/prefix_fit.hpp)
    Index layer = 0, head = 0;  ///< of the network; 0 outside of one
};

/// Size of a network.
struct HeadCounts {
    Index layers, heads;  ///< of each layer
};

/// A mechanism with the parameters of an entry.
struct ChosenMechanism {
    const features::MechanismInfo& info;
    features::Settings settings;

    std::unique_ptr<features::Mechanism> fit(const features::Statistics&) const;
    /// With its moments. Throws std::invalid_argument where it has none (MechanismInfo::has_moments).
    std::unique_ptr<features::MechanismWithMoments> fit_with_moments(const features::Statistics&) const;
    /// Real columns of one draw.
    Index columns_of_draw() const;
    /// Whether features depend on what it is fitted to.
    bool is_fitted() const { return info.fitted != nullptr && info.fitted(settings); }
};

/// Features of rows, drawn.
struct RowMap {
    std::shared_ptr<const features::FeatureMap> map;
    Index singular =
        0;  ///< columns that carry nothing, since their landmarks cannot be told apart (maps/nystroem_map.hpp)
};

/// Many draws of features that were fitted once.
struct RowDrawing {
    Index columns = 1;  ///< real ones that a draw costs
    std::function<RowMap(Index draws, const sampling::Scheme&, const Stream&)> draw;
};

/// Features of rows of any data, for the Gaussian kernel K(x, y) = exp(-|x - y|^2 / 2) or a substitute.
class RowFeatures {
public:
    virtual ~RowFeatures() = default;
    virtual bool estimates_kernel() const { return true; }
    /// Fitted to these queries and keys, rows of equal length.
    virtual RowDrawing of_rows(const PointsView& queries, const PointsView& keys) const = 0;
};

/// Features that linear attention goes through.
class HeadFeatures {
public:
    virtual ~HeadFeatures() = default;
    /// Features of the softmax kernel, or of its substitute, fitted to these queries and keys, rows of equal length.
    virtual Drawing features(const PointsView& queries, const PointsView& keys) const = 0;
};

/// Outputs of attention.
class Outputs {
public:
    virtual ~Outputs() = default;
    /// Whether queries may see all keys, and none after themselves.
    virtual bool attends_to_all() const { return true; }
    virtual bool attends_causally() const { return true; }
    /// Whether keys may be those of other tokens than queries.
    virtual bool attends_across() const { return true; }
    /// Attention before its tokens are known. Draws are made here; features that are fitted are fitted by each call,
    /// causally to the prefix.
    virtual std::unique_ptr<attention::Method> attention(const AttentionSize&, const sampling::Scheme&,
                                                         const Stream&) const = 0;
};

/// Attention inside a network that is trained, with its gradients.
class NetworkLayers {
public:
    virtual ~NetworkLayers() = default;
    /// The same of the layer.
    virtual bool trains_on_all() const { return true; }
    virtual bool trains_causally() const { return true; }
    /// Whether layer() depends on the stream, so that a layer can be drawn anew while all else is trained.
    virtual bool redraws() const { return false; }
    /// Layers and heads that it has parameters for; nothing where any network may have it.
    virtual std::optional<HeadCounts> own_heads() const { return {}; }
    /// The layer for heads of this size, the length being that of the longest sequence.
    virtual std::shared_ptr<const training::HeadAttention> layer(const AttentionSize&, const sampling::Scheme&,
                                                                 const Stream&) const = 0;
    /// The shape of the map that such a layer trains; nothing where it has no parameters.
    virtual std::optional<features::MapShape> trained_map(Index /*dimension*/, Index /*columns*/) const { return {}; }
    /// Settings of such a map that are stored beside its parameters, and that `from` reads.
    virtual features::Settings stored_shape(Index /*dimension*/, Index /*columns*/) const { return {}; }
};

/// Causal attention token by token, for methods without HeadFeatures, through which all others decode.
class Decoders {
public:
    virtual ~Decoders() = default;
    /// A map that layers train is as it begins: its cost is that of any.
    virtual std::unique_ptr<attention::Decoder<float>> decoder(const AttentionSize&, const sampling::Scheme&,
                                                               const Stream&) const = 0;
};

/// Features found from the sequences of a head.
class Finder {
public:
    virtual ~Finder() = default;
    virtual bool trains() const { return false; }
    virtual training::TrainedPoints find(const HeadProblem&, Index count, const sampling::Scheme&,
                                         const Stream&) const = 0;
};

/// Classes of rows.
class Predictor {
public:
    virtual ~Predictor() = default;
    /// The classes of `rows` for each scale gamma of all rows.
    virtual std::vector<regression::Predictions> predict(const regression::ClassifiedRows& training, const Points& rows,
                                                         const std::vector<double>& gammas) const = 0;
};

/// A method with its parameters. Its abilities are the interfaces that it gives; those that it lacks are null.
/// Immutable, thread-safe.
class Method {
public:
    virtual ~Method() = default;

    virtual const ChosenMechanism* mechanism() const { return nullptr; }
    virtual const RowFeatures* row_features() const { return nullptr; }
    virtual const HeadFeatures* head_features() const { return nullptr; }
    virtual const Outputs* outputs() const { return nullptr; }
    virtual const NetworkLayers* layers() const { return nullptr; }
    /// The same where queries see these keys; null where it has no such form.
    const Outputs* outputs_seeing(attention::Visible) const;
    const NetworkLayers* layers_seeing(attention::Visible) const;
    virtual const Decoders* decoders() const { return nullptr; }
    virtual const Finder* finder() const { return nullptr; }
    virtual const Predictor* predictor() const { return nullptr; }
    /// Whether it is the reference that others estimate.
    virtual bool exact() const { return false; }
    /// Whether it is a mechanism whose features estimate the Gaussian kernel.
    bool estimates_kernel() const { return mechanism() && mechanism()->info.estimates_kernel; }

    /// d of the rows its parameters were trained for; any, where nothing was trained.
    virtual std::optional<Index> dimension() const { return {}; }
    /// Its real columns, where parameters decide them and no budget does.
    virtual std::optional<Index> own_columns() const { return {}; }
    /// Whether anything is drawn, by this scheme.
    virtual bool drawn() const { return false; }
    virtual bool drawn_by(const sampling::Scheme&) const { return false; }
};

bool has(const Method&, Ability);
/// All that it has.
std::set<Ability> abilities_of(const Method&);

/// Description of a method: name, summary, source, keys.
struct MethodInfo {
    std::string name;  ///< as in YAML and on the command line
    std::string summary;
    std::string reference;
    std::vector<config::KeyRule> keys;  ///< its parameters, beside those every entry has
    std::set<Ability> abilities;        ///< what it can do with some parameters
    bool drawn;                         ///< whether it takes a sampling
    bool budgeted;                      ///< whether it takes a number of columns
    /// Reads the parameters of an entry. Throws config::Error at the place of one that it does not take.
    std::shared_ptr<const Method> (*make)(const config::Value& entry);
    /// Digest of the sources that its values come from (code.hpp); the list of all methods adds that of its file. A
    /// method that a program adds has what the program says, or "unknown": then no edit of it is noticed.
    std::string code = {};
};

/// All there are, mechanisms first.
const std::vector<MethodInfo>& method_catalogue();
/// Adds one to the catalogue: for programs that bring methods of their own, before anything is read. Throws
/// std::invalid_argument for a name that is taken.
void add_method(MethodInfo);
/// Throws InputError naming the nearest method when there is none of that name.
const MethodInfo& find_method(std::string_view name);

}  // namespace rfbench::experiments
