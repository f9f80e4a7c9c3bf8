#include "recommend_uses.hpp"

#include "rfbench/errors.hpp"

namespace rfbench::cli {

const std::vector<Use>& uses() {
    static const std::vector<Use> all{
        {"kernel",
         "attention/mechanisms",
         {"relative_kernel_error"},
         "a",
         "repeat",
         "relative error of the matrix exp(q.k / sqrt d), that of zeros being 1",
         false,
         0,
         nullptr,
         {},
         true},
        {"attention",
         "attention/mechanisms",
         {"relative_output_error"},
         "a",
         "repeat",
         "relative error of attention's output, that of zeros being 1",
         false,
         0,
         nullptr,
         {},
         true},
        {"regression",
         "regression/mechanisms",
         {"test_accuracy", "validation_accuracy"},
         "mean(chosen(a, b, gamma), dataset)",
         "split",
         "accuracy, mean over data sets",
         true,
         0.05 / 0.9,
         "chosen(a, b, gamma)"},
        {"text",
         "training/text",
         {"bits_per_character"},
         "a",
         "seed",
         "bits per character, trained from scratch",
         false,
         0,
         nullptr,
         {},
         false,
         "training/text-all and training/text-contenders"},
        {"recall",
         "training/recall",
         {"accuracy"},
         "mean(a, pairs)",
         "seed",
         "share of questions answered, mean over numbers of pairs, trained from scratch",
         true},
        {"converted-text",
         "conversion/recovery",
         {"bits_per_character"},
         "a",
         "seed",
         "bits per character of converted softmax networks, tuned",
         false,
         0,
         nullptr,
         {{"source", "text"}, {"stage", "tuned"}}},
        {"converted-recall",
         "conversion/recall",
         {"accuracy"},
         "a",
         "seed",
         "share of questions answered, of converted softmax networks, tuned",
         true,
         0,
         nullptr,
         {{"source", "recall"}, {"stage", "tuned"}}},
        {"converted-images",
         "conversion/images",
         {"accuracy"},
         "a",
         "seed",
         "share of held-out images, of converted softmax networks, tuned",
         true,
         0,
         nullptr,
         {{"source", "images"}, {"stage", "tuned"}}},
    };
    return all;
}

const Use& use_of(const std::string& name) {
    for (const Use& use : uses())
        if (name == use.name) return use;
    throw InputError("recommend: unknown use " + name);  // the command line has checked it
}

}  // namespace rfbench::cli
