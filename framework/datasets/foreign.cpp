#include "rfbench/datasets/foreign.hpp"

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

namespace {

/// A sentence about files that begin with these bytes.
struct Known {
    std::string_view mark, sentence;
};

constexpr std::string_view torch =
    "is a file of torch.save, which holds objects of Python; write its tensors with safetensors.torch.save_file, or "
    "with "
    "numpy.savez";

constexpr Known formats[] = {
    {"\x80\x02", "is a pickle of Python, as old versions of torch.save write it; write arrays with numpy.savez"},
    {"\x80\x03", "is a pickle of Python; write arrays with numpy.savez"},
    {"\x80\x04", "is a pickle of Python; write arrays with numpy.savez"},
    {"\x80\x05", "is a pickle of Python; write arrays with numpy.savez"},
    {"MATLAB 5.0", "is a MATLAB file of a version before 7.3; save it with -v7.3, which is HDF5"},
    {"PAR1", "is a Parquet file; write the table as CSV: pandas.read_parquet(...).to_csv(..., index=False)"},
    {"ARROW1", "is an Arrow file; write the table as CSV: pandas.read_feather(...).to_csv(..., index=False)"},
    {"CDF\x01", "is NetCDF of version 3; write it as NetCDF 4, which is HDF5: nccopy -k nc4"},
    {"CDF\x02", "is NetCDF of version 3; write it as NetCDF 4, which is HDF5: nccopy -k nc4"},
    {"GGUF", "is a GGUF model; the model's safetensors are read"},
    {"BZh", "is packed by bzip2; gzip and zip are read"},
    {"\xfd"
     "7zXZ",
     "is packed by xz; gzip and zip are read"},
    {"\x28\xb5\x2f\xfd", "is packed by zstd; gzip and zip are read"},
    {"7z\xbc\xaf", "is a 7z archive; gzip and zip are read"},
    {"%PDF", "is a PDF"},
    {"\xff\xfe", "is UTF-16; write it as UTF-8"},
    {"\xfe\xff", "is UTF-16; write it as UTF-8"},
    {"version https://git-lfs", "is a pointer of Git LFS and not the file; fetch it with git lfs pull"},
};

}  // namespace

void refuse_foreign(const std::string& file, std::string_view front) {
    for (const Known& one : formats)
        if (front.starts_with(one.mark)) refuse({file}, std::string(one.sentence));
}

void refuse_foreign_archive(const std::string& file, const std::vector<std::string>& members) {
    for (const std::string& member : members) {
        if (member == "data.pkl" || member.ends_with("/data.pkl")) refuse({file}, std::string(torch));
        if (member.starts_with("xl/")) refuse({file}, "is a spreadsheet of Excel; save the sheet as CSV");
        if (member == "content.xml") refuse({file}, "is a document of LibreOffice; save the sheet as CSV");
    }
}

}  // namespace rfbench::datasets
