#include "rfbench/parallel/parts.hpp"

#include <utility>

namespace rfbench::parallel {
namespace {

constexpr std::chrono::milliseconds between{100};

thread_local PartsListener* listening = nullptr;

}  // namespace

PartsListener::PartsListener(std::function<void(double)> tell) : tell_(std::move(tell)), before_(listening) {
    listening = this;
}

PartsListener::~PartsListener() { listening = before_; }

void PartsListener::hear(double share) {
    if (share <= told_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_at_ < between) return;
    told_at_ = now;
    told_ = share;
    tell_(share);
}

Parts::Parts(Index count) : listener_(listening), count_(count) {
    if (listener_ == nullptr) return;
    whole_ = listener_->innermost_;
    listener_->innermost_ = this;
    if (whole_ == nullptr) return;
    first_ = whole_->share();
    // Behind the last part there is nothing to divide.
    size_ = whole_->done_ < whole_->count_ ? whole_->size_ / static_cast<double>(whole_->count_) : 0;
}

Parts::~Parts() {
    if (listener_ != nullptr) listener_->innermost_ = whole_;
}

void Parts::done() {
    ++done_;
    if (listener_ != nullptr) listener_->hear(share());
}

}  // namespace rfbench::parallel
