#pragma once
// Rajkovic's applications to nursery schools: every row follows from rules.
#include <string>

namespace rfbench::datasets {

/// The text of UCI's nursery.data, byte for byte: all 12960 combinations of eight attributes of an application, ranked
/// by the parents' employment, the family's structure and finances, and its social and health picture. It ends with a
/// blank line.
std::string generate_nursery();

}  // namespace rfbench::datasets
