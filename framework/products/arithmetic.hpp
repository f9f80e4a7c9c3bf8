#pragma once

namespace rfbench::products {

/// Units that form products of float matrices: vector registers, by multiply-adds in float; matrix units, by sums of
/// bfloat16 parts (matrix_units.hpp); or an emulation of these that has their bits on any processor, slowly.
enum class Units { vectors, matrix, emulated };

/// How products of float matrices are formed. Those of double ones are always formed by vector registers.
struct Arithmetic {
    Units units = Units::vectors;  ///< of products of float
    /// Parts of every entry, on matrix units: 1, 2 or 3. Relative errors are about 2^-8, 2^-16 and 2^-24, the last as
    /// large as those of float.
    int parts = 3;

    bool operator==(const Arithmetic&) const = default;
    bool on_vectors() const { return units == Units::vectors; }  ///< whether there are no parts
};

/// Whether the processor has matrix units, AMX with bfloat16, and the system lets this process use them. Asked once.
bool has_matrix_units();

/// Throws std::invalid_argument where this processor cannot do it, and for other numbers of parts.
void check(const Arithmetic&);

}  // namespace rfbench::products
