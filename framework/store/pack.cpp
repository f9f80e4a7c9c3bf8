#include "rfbench/store/pack.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "rfbench/store/error.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "packs are little-endian, and written as memory has them");

constexpr std::string_view cell_mark = "rfbcell\n", text_mark = "rfbtext\n";
constexpr std::uint64_t head_size = 136, head_sum_at = 104, step = 8;

std::uint64_t padded(std::uint64_t size) { return (size + step - 1) / step * step; }

template <class T>
void put(std::string& head, const T& value) {
    head.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T get(std::string_view head, std::size_t at) {
    T value;
    std::memcpy(&value, head.data() + at, sizeof value);
    return value;
}

std::string head_of(const Record& record) {
    std::string head(record.kind == RecordKind::cell ? cell_mark : text_mark);
    put(head, record.size);
    put(head, record.identity);
    put(head, record.content);
    put(head, record.place);
    put(head, record.seconds);
    put(head, record.time);
    put(head, digest(head));
    return head;
}

// The record that a head tells of, or nothing where these bytes are none.
std::optional<Record> parse_head(std::string_view head) {
    Record record;
    if (head.starts_with(text_mark))
        record.kind = RecordKind::text;
    else if (!head.starts_with(cell_mark))
        return {};
    // The head's own sum tells it from bytes of a payload that look like one. Places are those that pack.hpp lists.
    if (get<Digest>(head, head_sum_at) != digest(head.substr(0, head_sum_at))) return {};
    record.size = get<std::uint64_t>(head, 8);
    record.identity = get<Digest>(head, 16);
    record.content = get<Digest>(head, 48);
    record.place = get<std::uint64_t>(head, 80);
    record.seconds = get<double>(head, 88);
    record.time = get<std::int64_t>(head, 96);
    return record;
}

// A name that no other process takes: the machine's, the process' and the moment's.
std::string new_name() {
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {'h', 'o', 's', 't'};
    std::string name(host.data());
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == '\0'; }, '-');
    return fmt::format("{}-{}-{:x}{}", name, ::getpid(), nanoseconds_now(), pack_extension);
}

// Goes through a pack with a window that holds the heads; payloads are passed over.
class PackReader {
public:
    explicit PackReader(const fs::path& path)
        : path_(path), file_(path, O_RDONLY | O_NONBLOCK, "open"), size_(file_.size()) {}

    PackContents contents() {
        PackContents result;
        std::uint64_t at = 0;
        while (at < size_) {
            if (size_ - at < head_size) {
                result.torn = true;
                break;
            }
            std::optional<Record> record = parse_head(bytes(at, head_size));
            if (!record) {
                const std::uint64_t next = next_head(at + step);
                result.damaged.push_back({at, next - at});
                at = next;
                continue;
            }
            record->offset = at + head_size;
            if (record->size > size_ - record->offset) {
                result.torn = true;
                break;
            }
            at = std::min(size_, record->offset + padded(record->size));
            result.records.push_back(*record);
        }
        return result;
    }

private:
    std::string_view bytes(std::uint64_t offset, std::uint64_t count) {
        if (offset < window_at_ || offset + count > window_at_ + window_.size()) {
            window_.resize(std::min<std::uint64_t>(window_size, size_ - offset));
            file_.read(window_.data(), window_.size(), offset);
            window_at_ = offset;
        }
        return std::string_view(window_).substr(offset - window_at_, count);
    }

    std::uint64_t next_head(std::uint64_t at) {
        // Records begin at multiples of eight: only there a head is looked for.
        for (; at + head_size <= size_; at += step)
            if (parse_head(bytes(at, head_size))) return at;
        return size_;
    }

    static constexpr std::uint64_t window_size = 1 << 16;
    fs::path path_;
    Descriptor file_;
    std::uint64_t size_, window_at_ = 0;
    std::string window_;
};

}  // namespace

PackContents read_pack(const fs::path& path) { return PackReader(path).contents(); }

PayloadReader::PayloadReader(fs::path pack) : pack_(std::move(pack)), file_(pack_, O_RDONLY | O_NONBLOCK, "open") {}

std::string PayloadReader::read(const Record& record) const {
    if (record.offset > file_.size() || record.size > file_.size() - record.offset)
        throw Error(fmt::format("cannot read {}: it ends before byte {}, where a record should", pack_.string(),
                                record.offset + record.size));
    std::string payload(record.size, '\0');
    file_.read(payload.data(), payload.size(), record.offset);
    if (digest(payload) != record.content)
        throw Error(fmt::format("the {} bytes from {} of {} are not those that were written", record.size,
                                record.offset, pack_.string()));
    return payload;
}

// Keeps the file under a lock that ends with the process, by which others know that it is at work. A pack takes its
// name with its first records: one without any is damaged.
struct PackWriter::Open {
    explicit Open(const fs::path& folder)
        : temporary(folder / fmt::format(".rfbench-{}-{}.tmp", ::getpid(), nanoseconds_now())),
          file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, "create"),
          held(try_lock(file.number())) {
        if (held || errno == EWOULDBLOCK) return;
        const int reason = errno;
        system_calls().unlink(temporary.c_str());
        throw_system_error("lock", temporary, reason);
    }
    ~Open() {
        if (!named) system_calls().unlink(temporary.c_str());
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    fs::path temporary;
    Descriptor file;
    bool held, named = false;
};

PackWriter::PackWriter(fs::path folder) : folder_(std::move(folder)) {}
PackWriter::~PackWriter() = default;

Record PackWriter::append(Record record, std::string_view payload) {
    record.size = payload.size();
    record.content = digest(payload);
    if (record.time == 0) record.time = nanoseconds_now();
    record.offset = committed_ + waiting_.size() + head_size;
    const std::string head = head_of(record);
    // If memory ends here, nothing is appended: half a record would spoil those after it.
    waiting_.reserve(waiting_.size() + head.size() + padded(record.size));
    waiting_ += head;
    waiting_ += payload;
    waiting_.append(padded(record.size) - record.size, '\0');
    return record;
}

void PackWriter::create() {
    make_folders(folder_);
    // Removers of temporaries may come between the file and its lock: then another is made.
    do open_ = std::make_unique<Open>(folder_);
    while (!open_->held || !has_name(open_->file.number()));
}

void PackWriter::give_name() {
    const fs::path path = folder_ / new_name();
    if (system_calls().rename(open_->temporary.c_str(), path.c_str()) != 0)
        throw_system_error(fmt::format("rename {} to", open_->temporary.string()), path, errno);
    open_->named = true;
    path_ = path;
    sync_folder(folder_);
}

void PackWriter::commit() {
    if (waiting_.empty()) return;
    // A writer that never commits leaves no file.
    const bool first = !open_;
    if (first) create();
    try {
        open_->file.write(std::as_bytes(std::span(waiting_)));
        open_->file.sync();
        if (first) give_name();
    } catch (const Error&) {
        // Part of it may be there. The first failure says what matters; a torn record is passed over anyway.
        try {
            if (first)
                open_.reset();
            else
                open_->file.truncate(committed_);
        } catch (const Error&) {
        }
        throw;
    }
    committed_ += waiting_.size();
    waiting_.clear();
}

std::int64_t nanoseconds_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool has_name_of_pack(const fs::path& file) {
    const std::string name = file.stem().string();
    const std::size_t moment = name.rfind('-'), process = moment > 0 ? name.rfind('-', moment - 1) : std::string::npos;
    if (moment == std::string::npos || process == std::string::npos || file.extension() != pack_extension) return false;
    const auto consists_of = [&](std::size_t from, std::size_t to, const char* characters) {
        return to > from && name.substr(from, to - from).find_first_not_of(characters) == std::string::npos;
    };
    return consists_of(process + 1, moment, "0123456789") && consists_of(moment + 1, name.size(), "0123456789abcdef");
}

std::unique_ptr<Descriptor> hold_pack(const fs::path& pack) {
    std::unique_ptr<Descriptor> file;
    // Open for writing, too: NFS gives no exclusive lock otherwise.
    try {
        file = std::make_unique<Descriptor>(pack, O_RDWR | O_NOFOLLOW | O_NONBLOCK, "open");
    } catch (const Error&) {
        // Another process has mended or pruned it meanwhile.
        std::error_code ignored;
        if (fs::exists(fs::symlink_status(pack, ignored))) throw;
        return nullptr;
    }
    if (try_lock(file->number())) return file;
    if (errno != EWOULDBLOCK) throw_system_error("lock", pack, errno);
    return nullptr;
}

}  // namespace rfbench::store
