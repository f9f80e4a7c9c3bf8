#include "recommend_uses.hpp"

#include "rfbench/errors.hpp"

namespace rfbench::cli {

const std::vector<Use>& uses() {
    static const std::vector<Use> all{
        {.name = "kernel",
         .configuration = "attention/mechanisms",
         .variables = {"relative_kernel_error"},
         .over = "repeat",
         .words = "relative error of the matrix exp(q.k / sqrt d), that of zeros being 1",
         .relative_error = true},
        {.name = "attention",
         .configuration = "attention/mechanisms",
         .variables = {"relative_output_error"},
         .over = "repeat",
         .words = "relative error of attention's output, that of zeros being 1",
         .relative_error = true},
        {.name = "regression",
         .configuration = "regression/mechanisms",
         .variables = {"test_accuracy", "validation_accuracy"},
         .expression = "mean(chosen(a, b, gamma), dataset)",
         .over = "split",
         .words = "accuracy, mean over data sets",
         .larger_is_better = true,
         .overlap = 0.05 / 0.9,
         .by_set = "chosen(a, b, gamma)"},
        {.name = "text",
         .configuration = "training/text",
         .variables = {"bits_per_character"},
         .over = "seed",
         .words = "bits per character, trained from scratch",
         .others = "training/text-all and training/text-contenders-all"},
        {.name = "recall",
         .configuration = "training/recall",
         .variables = {"accuracy"},
         .expression = "mean(a, pairs)",
         .over = "seed",
         .words = "share of questions answered, mean over numbers of pairs, trained from scratch",
         .larger_is_better = true},
        {.name = "converted-text",
         .configuration = "conversion/recovery",
         .variables = {"bits_per_character"},
         .over = "seed",
         .words = "bits per character, converted softmax networks, tuned",
         .at = {{"source", "text"}, {"stage", "tuned"}}},
        {.name = "converted-recall",
         .configuration = "conversion/recall",
         .variables = {"accuracy"},
         .over = "seed",
         .words = "share of questions answered, converted softmax networks, tuned",
         .larger_is_better = true,
         .at = {{"source", "recall"}, {"stage", "tuned"}}},
        {.name = "converted-images",
         .configuration = "conversion/images",
         .variables = {"accuracy"},
         .over = "seed",
         .words = "share of held-out images classified rightly, converted softmax networks, tuned",
         .larger_is_better = true,
         .at = {{"source", "images"}, {"stage", "tuned"}}},
    };
    return all;
}

const Use& use_of(const std::string& name) {
    for (const Use& use : uses())
        if (name == use.name) return use;
    throw InputError("recommend: unknown use " + name);  // the command line has checked it
}

}  // namespace rfbench::cli
