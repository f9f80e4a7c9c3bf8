#pragma once
#include <hdf5.h>

#include <cstddef>
#include <span>

namespace rfbench::store {

/// The memory of an HDF5 file that is on no disk, kept beyond the closing of the file. (The image that
/// H5Fget_file_image takes of a file that is still open has a wrong checksum under the format of HDF5 1.10: the mark
/// that it is open for writing is wiped out, the checksum over that mark is not renewed.)
class MemoryFile {
public:
    MemoryFile() = default;
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// To be called on the access list, made by memory_access(), by which one file is then created.
    void hold(hid_t access);

    /// The bytes of the file, which has been closed. Throws Error when they are not a whole file.
    std::span<const std::byte> image() const;

private:
    static void* allocate(std::size_t size, H5FD_file_image_op_t, void* self);
    static void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void* self);
    static void* reallocate(void* bytes, std::size_t size, H5FD_file_image_op_t, void* self);
    static herr_t release(void* bytes, H5FD_file_image_op_t, void* self);

    std::byte* closed_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace rfbench::store
