#pragma once
// The HDF5 C API with what it lacks: identifiers that close themselves, and failures that cannot be overlooked.
#include <hdf5.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rfbench::store {

/// An HDF5 identifier, closed by the function that fits its kind.
class Handle {
public:
    using Close = herr_t (*)(hid_t);

    /// Throws Error ("HDF5 cannot <what>: <reason>") when the library gave no identifier.
    Handle(hid_t id, Close closer, const std::string& what);
    /// Handle of something that need not be there: empty when the library gave no identifier.
    static std::optional<Handle> if_there(hid_t id, Close closer);
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }

    /// Closes now, so that a failure is seen.
    void close(const std::string& what);

private:
    Handle(hid_t id, Close closer) : id_(id), close_(closer) {}

    hid_t id_;
    Close close_;
};

/// Throws Error: "HDF5 cannot <what>: <reason>".
[[noreturn]] void throw_hdf5_error(const std::string& what);

/// Passes on what a function of the library returned. Throws Error when it is negative.
template <class Result>
Result check_hdf5(Result result, const std::string& what) {
    if (result < 0) throw_hdf5_error(what);
    return result;
}

/// While it lives, this thread alone is in the library, which may be built without threads, and the library does not
/// print its error stack to stderr: what is thrown says what is needed. Not to be nested.
class Hdf5Session {
public:
    Hdf5Session();
    ~Hdf5Session();
    Hdf5Session(const Hdf5Session&) = delete;
    Hdf5Session& operator=(const Hdf5Session&) = delete;

private:
    std::unique_lock<std::mutex> alone_;
    H5E_auto2_t function_ = nullptr;
    void* data_ = nullptr;
};

/// Variable-length text, UTF-8.
Handle text_type();

/// The extents of a dataset; none of a single value. Throws Error; `name` is for the message.
std::vector<hsize_t> extents(hid_t dataset, const std::string& name);

/// A file access list by which a file lives in memory only.
Handle memory_access();

}  // namespace rfbench::store
