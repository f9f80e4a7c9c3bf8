// Estimates of the memory of trainings, beside what the allocator counts.
#include "training/training_memory.hpp"

#include <omp.h>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/networks/drawn_sequences.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

/// training/copying's network at its largest length.
struct Copying {
    static constexpr Index length = 512, batch = 8;
    NetworkSetting setting;
    networks::TransformerShape shape;
    std::vector<networks::Sequence<float>> sequences;

    explicit Copying(const std::string& columns)
        : setting(parsed(find("training", "copying"),
                         "methods: [exact, positive]\nlayers: 1\nheads: 4\nwidth: 128\ninner: 64\ncolumns: " + columns +
                             "\nsteps: 6\nwarmup_steps: 2\nrates: [0.02]\nevaluations: 3\nseeds: 2\nvalidation: 3\n"
                             "test: 4\nbatch: 8\nlengths: [512]\nvocabulary: 64\nconvolution: 0\n")),
          shape(setting.sizes) {
        shape.vocabulary = shape.outputs = 64;
        shape.positions = length;
        for (Index i = 0; i < batch; ++i)
            sequences.push_back(networks::drawn_sequence(networks::Copying{.length = length, .vocabulary = 64},
                                                         Stream(1).child(static_cast<std::uint64_t>(i))));
    }
    const MethodChoice& method(const std::string& label) const {
        for (const MethodChoice& choice : setting.methods)
            if (choice.label == label) return choice;
        throw std::logic_error(label);
    }
    networks::Heads heads(const std::string& label) const { return setting.heads(method(label), length, Stream(2), 0); }
    networks::Trainer<float> trainer(const networks::Transformer& network) const {
        return {network, network.start({}, Stream(3)), {.steps = 2, .rate = 0.001}};
    }
};

/// One thread while it lives, as cells are computed.
struct OneThread {
    OneThread() { omp_set_num_threads(1); }
    ~OneThread() { omp_set_num_threads(omp_get_num_procs()); }
};

}  // namespace

TEST_CASE("training/copying: the memory of a gradient is what it takes, and less than matrices would",
          "[experiments]") {
    const Copying copying("64");
    const Index length = Copying::length, batch = Copying::batch;
    const double planned = gradient_bytes(copying.shape, part_rows(length, batch));
    const OneThread one_thread;
    for (const char* method : {"exact", "positive"}) {
        INFO(method);
        const networks::Transformer network(copying.shape, copying.heads(method));
        networks::Trainer<float> trainer = copying.trainer(network);
        const memory::HighWaterMark mark;
        trainer.step(copying.sequences);
        const auto bytes = static_cast<double>(mark.bytes());
        CHECK(bytes > planned / 1.5);
        CHECK(bytes < planned * 1.5);
        CHECK(2 * bytes < static_cast<double>(4 * batch * copying.shape.heads * length * length));
    }
    // Short sequences go through the network several at a time.
    CHECK(part_rows(64, 8) == 256);
    CHECK(part_rows(64, 3) == 192);
    CHECK(part_rows(200, 3) == 200);
    CHECK(part_rows(300, 3) == 300);
}

TEST_CASE("training: the memory that plans tell is about what a training takes, with few columns and with many",
          "[experiments]") {
    const OneThread one_thread;
    for (const char* columns : {"16", "2048"}) {
        INFO(columns);
        const Copying copying(columns);
        const double planned = training_bytes(copying.shape, copying.setting.methods, copying.setting.columns);
        const memory::HighWaterMark mark;
        const networks::Transformer network(copying.shape, copying.heads("positive"));
        networks::Trainer<float> trainer = copying.trainer(network);
        trainer.step(copying.sequences);
        const auto bytes = static_cast<double>(mark.bytes());
        CHECK(bytes > planned / 2);
        CHECK(bytes < planned * 2);
    }
}
