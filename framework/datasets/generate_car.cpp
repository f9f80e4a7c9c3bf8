#include "rfbench/datasets/generate_car.hpp"

#include <fmt/format.h>

#include <iterator>

namespace rfbench::datasets {

namespace {

// The values in the order of the file; the rules below speak of them by their places here.
constexpr const char* costs[] = {"vhigh", "high", "med", "low"};
constexpr const char* doors[] = {"2", "3", "4", "5more"};
constexpr const char* persons[] = {"2", "4", "more"};
constexpr const char* boots[] = {"small", "med", "big"};
constexpr const char* safeties[] = {"low", "med", "high"};

enum Cost { cost_vhigh, cost_high, cost_med, cost_low };
enum Doors { two_doors, three_doors };
enum Persons { two_persons, four_persons, more_persons };
enum Boot { small_boot, medium_boot };
enum Safety { unsafe, medium_safety, safe };

/// 0 (dear) .. 3 (cheap), from what the car costs to buy and to keep.
int price(int buying, int maint) {
    const int points = (cost_low - buying) + (cost_low - maint);
    if (points >= 5) return 0;
    if (points >= 3 || (buying == cost_high && maint == cost_low)) return 1;
    return points == 2 ? 2 : 3;
}

/// 0 (none) .. 2, from the room for people and luggage.
int comfort(int door, int person, int boot) {
    if (person == two_persons) return 0;
    if (boot == small_boot) return door == two_doors && person == more_persons ? 0 : 1;
    const bool narrow = door == two_doors || (door == three_doors && person == four_persons);
    return boot == medium_boot && narrow ? 1 : 2;
}

/// 0 (useless) .. 3, from the comfort and the safety.
int worth(int ease, int safety) {
    if (ease == 0 || safety == unsafe) return 0;
    return ease + (safety == safe ? 1 : 0);
}

/// A row a price, a column a technical worth.
constexpr const char* judgements[4][4] = {{"unacc", "unacc", "unacc", "unacc"},
                                          {"unacc", "unacc", "acc", "acc"},
                                          {"unacc", "acc", "acc", "vgood"},
                                          {"unacc", "acc", "good", "vgood"}};

}  // namespace

std::string generate_car() {
    std::string text;
    for (int buying = 0; buying < std::ssize(costs); ++buying)
        for (int maint = 0; maint < std::ssize(costs); ++maint)
            for (int door = 0; door < std::ssize(doors); ++door)
                for (int person = 0; person < std::ssize(persons); ++person)
                    for (int boot = 0; boot < std::ssize(boots); ++boot)
                        for (int safety = 0; safety < std::ssize(safeties); ++safety) {
                            const int technical = worth(comfort(door, person, boot), safety);
                            text += fmt::format("{},{},{},{},{},{},{}\n", costs[buying], costs[maint], doors[door],
                                                persons[person], boots[boot], safeties[safety],
                                                judgements[price(buying, maint)][technical]);
                        }
    return text;
}

}  // namespace rfbench::datasets
