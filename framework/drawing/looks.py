"""Colour, dashes and mark of every label: by name, the same in all figures; looks.json has the table."""
import hashlib
import json
import os
import re

import matplotlib.pyplot as plt
from matplotlib import colors

HERE = os.path.dirname(os.path.abspath(__file__))
DASHES = {"solid": "-", "dashed": (0, (5, 1.6)), "dotted": (0, (1.2, 1.2)), "dash-dot": (0, (5, 1.4, 1.2, 1.4)),
          "short": (0, (2.6, 1.2)), "long": (0, (9, 2)), "dash-dot-dot": (0, (5, 1.2, 1.2, 1.2, 1.2, 1.2))}


def looks_table():
    with open(os.path.join(HERE, "looks.json"), encoding="utf-8") as file:
        return json.load(file)


class Looks:
    """Chooses colour, dashes and mark for every label of one figure."""

    def __init__(self, table, figure):
        self.known = {name: look for family in table["families"].values() for name, look in family.items()}
        self.parts = table["families"]["samplings"]
        self.aliases, self.spare = table["aliases"], table["unknown"]
        self.chosen = {}
        series = [s for panel in figure["panels"] for s in panel.get("series", [])]
        own = [s for s in series if not s.get("like")]
        for label in dict.fromkeys(s["label"] for s in own if s["style"] == "reference"):
            self.chosen[label] = self.reference(len(self.chosen))
        labels = list(dict.fromkeys(s["label"] for s in own if s["style"] != "reference"))
        self.ordered(labels)
        for wanted in (self.named, self.unknown):  # names have their looks before others choose among what is left
            for label in labels:
                if label not in self.chosen and (look := wanted(label)):
                    self.chosen[label] = look
        for s in series:
            if s.get("like"):
                self.chosen.setdefault(s["label"], self.chosen.get(s["like"]) or self.named(s["like"])
                                       or self.unknown(s["like"]))
        for s in series:
            if "look" in s:
                self.chosen[s["label"]] = {**self.chosen[s["label"]], **s["look"]}

    def __getitem__(self, label):
        return self.chosen[label]

    @staticmethod
    def reference(i):
        return {"colour": ("#555555", "#999999")[i // 4 % 2], "mark": "",
                "dash": ("dashed", "dotted", "dash-dot", "solid")[i % 4]}

    def ordered(self, labels):
        """Where most labels are values of one quantity, "d = 2", "d = 8", ... or "layer 1", "layer 2", ..., they are
        steps from dark to light."""
        steps = {}
        for label in labels:
            if match := re.fullmatch(r"(.+?) (?:= )?([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)", label):
                steps.setdefault(match[1], {})[label] = float(match[2])
        most = max(steps.values(), key=len, default={})
        if len(most) < 2 or 2 * len(most) < len(labels):
            return
        marks = self.spare["marks"]
        for i, label in enumerate(sorted(most, key=most.get)):
            colour = plt.get_cmap("viridis")(0.85 * i / (len(most) - 1))
            self.chosen[label] = {"colour": colors.to_hex(colour), "dash": "solid", "mark": marks[i % len(marks)]}

    def named(self, label):
        """A name of the table, alone or with more behind it: "positive, orthogonal" is dashed as orthogonal is, and
        "hybrid-not-conjugated" has the colour and mark of hybrid."""
        label = self.aliases.get(label, label)
        if label in self.known:
            return self.known[label]
        first, comma, rest = label.partition(", ")
        if not comma:
            first = max((n for n in self.known if label.startswith(n + "-")), key=len, default="")
            rest = label[len(first):]
        first = self.aliases.get(first, first)
        if first not in self.known:
            return None
        dash = self.parts[rest]["dash"] if rest in self.parts else self.free_dash(self.known[first]["colour"], rest)
        return {**self.known[first], "dash": dash}

    def free_dash(self, colour, text):
        """The dashes a text hashes to or, where another label of this figure has them in that colour, the next."""
        dashes = self.spare["dashes"]
        taken = {look["dash"] for look in self.chosen.values() if look["colour"] == colour}
        start = self.hashed(text) % len(dashes)
        tried = [dashes[(start + i) % len(dashes)] for i in range(len(dashes))]
        return next((dash for dash in tried if dash not in taken), tried[0])

    @staticmethod
    def hashed(text):
        return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)

    def unknown(self, label):
        """The look its name hashes to, or, where another of this figure has that, the next that is free."""
        hues, dashes, marks = (self.spare[k] for k in ("colours", "dashes", "marks"))
        taken = {(look["colour"], look["dash"]) for look in self.chosen.values()}
        start = self.hashed(label) % len(hues)
        for i in range(len(hues) * len(dashes)):
            colour, dash = hues[(start + i) % len(hues)], dashes[i // len(hues)]
            if (colour, dash) not in taken:
                break
        return {"colour": colour, "dash": dash, "mark": marks[(start + i) % len(marks)]}
