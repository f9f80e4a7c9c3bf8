#include "rfbench/store/hdf5_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_handle.hpp"

namespace rfbench::store {

MemoryFile::~MemoryFile() { std::free(closed_); }

void MemoryFile::hold(hid_t access) {
    const auto same = [](void* self) { return self; };
    const auto nothing = [](void*) -> herr_t { return 0; };
    H5FD_file_image_callbacks_t callbacks = {allocate, copy, reallocate, release, same, nothing, this};
    check_hdf5(H5Pset_file_image_callbacks(access, &callbacks), "keep a file in memory");
}

// HDF5 File Format Specification 3.0, superblock version 3: bytes 28 to 35 are the address of the end of the file.
std::span<const std::byte> MemoryFile::image() const {
    constexpr std::size_t place = 28, superblock = 48;
    if (closed_ == nullptr || size_ < superblock) throw Error("HDF5 left no file in memory");
    std::uint64_t end = 0;
    for (std::size_t i = 8; i-- > 0;) end = end << 8 | std::to_integer<std::uint64_t>(closed_[place + i]);
    if (end < superblock || end > size_) throw Error("HDF5 left an incomplete file in memory");
    return {closed_, std::size_t(end)};
}

void* MemoryFile::allocate(std::size_t size, H5FD_file_image_op_t operation, void* self) {
    return reallocate(nullptr, size, operation, self);
}

void* MemoryFile::copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
    return std::memcpy(to, from, size);
}

void* MemoryFile::reallocate(void* bytes, std::size_t size, H5FD_file_image_op_t, void* self) {
    void* moved = std::realloc(bytes, size);
    if (moved != nullptr) static_cast<MemoryFile*>(self)->size_ = size;
    return moved;
}

herr_t MemoryFile::release(void* bytes, H5FD_file_image_op_t operation, void* self) {
    // A closing file gives back its whole image, which is kept.
    if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
        static_cast<MemoryFile*>(self)->closed_ = static_cast<std::byte*>(bytes);
    else
        std::free(bytes);
    return 0;
}

}  // namespace rfbench::store
