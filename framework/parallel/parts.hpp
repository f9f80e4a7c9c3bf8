#pragma once
// How far a long computation has come: it says how many parts it has, and which is done. Nobody needs to listen.
#include <chrono>
#include <functional>

#include "rfbench/matrix.hpp"

namespace rfbench::parallel {

/// Who is told of parts on this thread, while it lives: at most ten times a second, `tell` of the share that is done,
/// which never falls. Where it is made within another one's life, that one hears nothing meanwhile.
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

/// Equal parts of what the thread is at: of its whole work, or of the part that is at work when this is made. A part is
/// to be divided once: what divides it again is told only as far as it is ahead of the first.
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
