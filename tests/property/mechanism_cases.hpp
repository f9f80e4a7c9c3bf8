#pragma once
// A property is one test case a mechanism, "<property>: <mechanism>", so that after a change of one mechanism its own
// can be run alone: test_property '*: positive'. A new mechanism is picked up by being in the catalogue.
#include <string>

#include "cases_from_main.hpp"
#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"

namespace rfbench::tests {

using MechanismProperty = void (*)(const features::MechanismInfo&);

/// A property as Catch2 calls it, with its mechanism.
class PropertyOfMechanism final : public Catch::ITestInvoker {
public:
    PropertyOfMechanism(MechanismProperty property, const features::MechanismInfo& mechanism)
        : property_(property), mechanism_(mechanism) {}
    void invoke() const override { property_(mechanism_); }

private:
    MechanismProperty property_;
    const features::MechanismInfo& mechanism_;
};

/// Has main register the property for each mechanism that `concerns` accepts.
struct ForMechanisms {
    template <class Concerns>
    ForMechanisms(Catch::SourceLineInfo place, const char* name, Concerns concerns, MechanismProperty property) {
        // Catch2's own pointer to an invoker: a plain one in version 2, a unique one in version 3.
        using Invoker = decltype(Catch::makeTestInvoker(static_cast<void (*)()>(nullptr)));
        cases_from_main().push_back([=] {
            for (const features::MechanismInfo& mechanism : features::catalogue()) {
                if (!concerns(mechanism)) continue;
                const std::string full_name = std::string(name) + ": " + mechanism.name;
                Catch::AutoReg(Invoker(new PropertyOfMechanism(property, mechanism)), place, Catch::StringRef(),
                               Catch::NameAndTags{full_name, "[property]"});
            }
        });
    }
};

inline bool any_mechanism(const features::MechanismInfo&) { return true; }
inline bool with_moments(const features::MechanismInfo& mechanism) { return mechanism.has_moments(); }
inline bool claimed_positive(const features::MechanismInfo& mechanism) { return mechanism.positive; }

}  // namespace rfbench::tests

/// MECHANISM_TEST_CASE("property", concerns) { checks of `info` }: for each mechanism with concerns(info).
#define MECHANISM_TEST_CASE(name, concerns)                                                                            \
    MECHANISM_TEST_CASE_CALLED(INTERNAL_CATCH_UNIQUE_NAME(property_), name, concerns)
#define MECHANISM_TEST_CASE_CALLED(property, name, concerns)                                                           \
    static void property(const rfbench::features::MechanismInfo& info);                                                \
    static const rfbench::tests::ForMechanisms INTERNAL_CATCH_UNIQUE_NAME(cases_)(CATCH_INTERNAL_LINEINFO, name,       \
                                                                                  concerns, property);                 \
    static void property(const rfbench::features::MechanismInfo& info)
