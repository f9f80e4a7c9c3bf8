#pragma once
// Progress of a long computation: it states its number of parts and each part that is done. A listener is optional.
#include <chrono>
#include <functional>

#include "rfbench/matrix.hpp"

namespace rfbench::parallel {

/// Listener for the progress of this thread, while it lives. It calls tell(share of the work that is done), with rising
/// shares, at most ten times a second. A listener made during another one's life replaces that one while it lives.
class PartsListener {
public:
    explicit PartsListener(std::function<void(double share)> tell);
    ~PartsListener();
    PartsListener(const PartsListener&) = delete;
    PartsListener& operator=(const PartsListener&) = delete;

private:
    friend class Parts;
    void hear(double share);

    std::function<void(double)> tell_;
    std::chrono::steady_clock::time_point told_at_{};
    double told_ = 0;
    class Parts* innermost_ = nullptr;
    PartsListener* before_;
};

/// Divides the whole work of the thread, or the part that is in progress when this is made, into equal parts. Divide a
/// part only once: a second division of the same part is reported only while its share exceeds that of the first.
///
///     for (const Index repeat : Parts(repeats)) ...        each iteration is a part
///     Parts parts(n); ... parts.done(); ... parts.done();
class Parts {
public:
    explicit Parts(Index count);
    ~Parts();
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// One more is done.
    void done();

    class Iterator {
    public:
        Iterator(Parts& parts, Index at) : parts_(&parts), at_(at) {}
        Index operator*() const { return at_; }
        Iterator& operator++() {
            ++at_;
            parts_->done();
            return *this;
        }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

    private:
        Parts* parts_;
        Index at_;
    };
    Iterator begin() { return {*this, 0}; }
    Iterator end() { return {*this, count_}; }

private:
    double share() const { return first_ + size_ * static_cast<double>(done_) / static_cast<double>(count_); }

    PartsListener* listener_;
    Parts* whole_ = nullptr;
    double first_ = 0, size_ = 1;  // where they begin in all the work, and the share of it that they are together
    Index count_, done_ = 0;
};

}  // namespace rfbench::parallel
