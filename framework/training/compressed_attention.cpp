#include "rfbench/training/compressed_attention.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>

#include "rfbench/attention/linformer.hpp"
#include "rfbench/attention/lsh_backward.hpp"
#include "rfbench/attention/nystrom_backward.hpp"
#include "rfbench/training/without_parameters.hpp"

namespace rfbench::training {
namespace {

using attention::Column;
using attention::Gradients;
using attention::Inputs;
using attention::Visible;

void refuse_causal(const std::string& name, Visible visible) {
    if (visible == Visible::causal)
        throw std::invalid_argument(name + ": all tokens are mixed before queries see them; there is no causal form");
}

/// Keeps no mixtures: the backward pass makes them again. Parameters are pointed to, not copied.
template <class Scalar>
class LinformerPass final : public HeadPass<Scalar> {
public:
    LinformerPass(const ColumnView<Scalar>& parameters, Index mixed, Index length, const Inputs<Scalar>& in)
        : in_(in), parameters_(parameters.data()), mixed_(mixed), length_(length) {
        this->outcome = attention::linformer(mixing(), in_, this->output, log_sums_);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                  ColumnRef<Scalar> by_parameters) const override {
        attention::linformer_backward(mixing(), in_, this->output, log_sums_, gradient, out, by_parameters);
    }

private:
    attention::Mixing<Scalar> mixing() const {
        using View = Eigen::Map<const Rows<Scalar>>;
        return {View(parameters_, mixed_, length_), View(parameters_ + mixed_ * length_, mixed_, length_)};
    }

    Inputs<Scalar> in_;
    const Scalar* parameters_;
    Index mixed_, length_;
    Column<Scalar> log_sums_;
};

class Linformer final : public HeadAttentionOf<Linformer> {
public:
    Linformer(Index mixed, Index length) : mixed_(mixed), length_(length) {
        if (mixed < 1 || length < 1)
            throw std::invalid_argument("linformer: " + std::to_string(mixed) + " mixtures of " +
                                        std::to_string(length) + " tokens; both must be positive");
    }

    Index parameters() const override { return 2 * mixed_ * length_; }
    Vector start(const Stream& stream) const override {
        Vector all(parameters());
        const auto fill = [&](const char* name, auto part) {
            part =
                attention::random_compression(mixed_, length_, stream.child(name)).template reshaped<Eigen::RowMajor>();
        };
        fill("keys", all.head(mixed_ * length_));
        fill("values", all.tail(mixed_ * length_));
        return all;
    }

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        refuse_causal("linformer", visible);
        if (parameters.size() != this->parameters())
            throw std::invalid_argument("linformer: " + std::to_string(parameters.size()) +
                                        " parameters for a head that has " + std::to_string(this->parameters()));
        return std::make_unique<LinformerPass<Scalar>>(parameters, mixed_, length_, in);
    }

private:
    Index mixed_, length_;
};

/// The same matrix mixes keys and values. Gradients of it are formed, and not passed on.
template <class Scalar>
class DrawnLinformerPass final : public HeadPass<Scalar> {
public:
    DrawnLinformerPass(const Rows<Scalar>& mixing, const Inputs<Scalar>& in) : in_(in), mixing_{mixing, mixing} {
        this->outcome = attention::linformer(mixing_, in_, this->output, log_sums_);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out, ColumnRef<Scalar>) const override {
        Column<Scalar> by_mixing = Column<Scalar>::Zero(2 * mixing_.keys.size());
        attention::linformer_backward<Scalar>(mixing_, in_, this->output, log_sums_, gradient, out, by_mixing);
    }

private:
    Inputs<Scalar> in_;
    attention::Mixing<Scalar> mixing_;
    Column<Scalar> log_sums_;
};

class DrawnLinformer final : public WithoutParameters<DrawnLinformer> {
public:
    explicit DrawnLinformer(const Projections& mixing) : wide_(mixing), narrow_(mixing.cast<float>()) {}

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        refuse_causal("linformer", visible);
        check_none<Scalar>(parameters);
        if constexpr (std::is_same_v<Scalar, float>)
            return std::make_unique<DrawnLinformerPass<float>>(narrow_, in);
        else
            return std::make_unique<DrawnLinformerPass<double>>(wide_, in);
    }

private:
    Rows<double> wide_;
    Rows<float> narrow_;
};

template <class Scalar>
class NystromPass final : public HeadPass<Scalar> {
public:
    NystromPass(Index landmarks, const Inputs<Scalar>& in) : in_(in) {
        this->outcome = attention::nystrom(landmarks, in_, this->output, pass_);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out, ColumnRef<Scalar>) const override {
        attention::nystrom_backward(in_, pass_, this->output, gradient, out);
    }

private:
    Inputs<Scalar> in_;
    attention::NystromPass<Scalar> pass_;
};

class Nystrom final : public WithoutParameters<Nystrom> {
public:
    explicit Nystrom(Index landmarks) : landmarks_(landmarks) {
        if (landmarks < 1)
            throw std::invalid_argument("nystrom: " + std::to_string(landmarks) +
                                        " landmarks; there must be one or more");
    }

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        refuse_causal("nystrom", visible);
        check_none<Scalar>(parameters);
        return std::make_unique<NystromPass<Scalar>>(landmarks_, in);
    }

private:
    Index landmarks_;
};

template <class Scalar>
class LshPass final : public HeadPass<Scalar> {
public:
    LshPass(std::shared_ptr<const attention::Hashing> hashing, const Inputs<Scalar>& in, Visible visible)
        : hashing_(std::move(hashing)), in_(in), visible_(visible) {
        this->outcome = attention::lsh(*hashing_, in_, visible_, this->output);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out, ColumnRef<Scalar>) const override {
        attention::lsh_backward(*hashing_, in_, visible_, this->output, gradient, out);
    }

private:
    std::shared_ptr<const attention::Hashing> hashing_;
    Inputs<Scalar> in_;
    Visible visible_;
};

class Lsh final : public WithoutParameters<Lsh> {
public:
    explicit Lsh(attention::Hashing hashing) : hashing_(std::make_shared<attention::Hashing>(std::move(hashing))) {}

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        check_none<Scalar>(parameters);
        return std::make_unique<LshPass<Scalar>>(hashing_, in, visible);
    }

private:
    std::shared_ptr<const attention::Hashing> hashing_;
};

template <class Scalar>
class WindowPass final : public HeadPass<Scalar> {
public:
    WindowPass(const attention::Window& window, const Inputs<Scalar>& in, Visible visible)
        : window_(window), in_(in), visible_(visible) {
        this->outcome = attention::window(window_, in_, visible_, this->output);
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out, ColumnRef<Scalar>) const override {
        attention::window_backward(window_, in_, visible_, gradient, out);
    }

private:
    attention::Window window_;
    Inputs<Scalar> in_;
    Visible visible_;
};

class WindowHead final : public WithoutParameters<WindowHead> {
public:
    explicit WindowHead(const attention::Window& window) : window_(window) { attention::check(window); }

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        check_none<Scalar>(parameters);
        return std::make_unique<WindowPass<Scalar>>(window_, in, visible);
    }

private:
    attention::Window window_;
};

}  // namespace

std::unique_ptr<HeadAttention> window_attention(const attention::Window& window) {
    return std::make_unique<WindowHead>(window);
}

std::unique_ptr<HeadAttention> lsh_attention(attention::Hashing hashing) {
    return std::make_unique<Lsh>(std::move(hashing));
}

std::unique_ptr<HeadAttention> linformer_attention(Index mixed, Index length) {
    return std::make_unique<Linformer>(mixed, length);
}

std::unique_ptr<HeadAttention> drawn_linformer_attention(const Projections& mixing) {
    return std::make_unique<DrawnLinformer>(mixing);
}

std::unique_ptr<HeadAttention> nystrom_attention(Index landmarks) { return std::make_unique<Nystrom>(landmarks); }

}  // namespace rfbench::training
