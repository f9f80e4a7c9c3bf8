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
        self.labels = list(dict.fromkeys([s["label"] for s in own] + [s["like"] for s in series if s.get("like")]))
        self.ordered([label for label in self.labels if label not in self.chosen])
        # Names of the table come first, and others choose among what is left; samplings have dashes before variants.
        names = [self.parted(label)[0] for label in self.labels]
        for name in sorted(names, key=lambda name: name in self.aliases):
            if self.named(name) or self.parted(name)[1]:
                self.method(name)
        for wanted in (self.sampled, self.variant, self.method):
            for label in self.labels:
                if label not in self.chosen and (look := wanted(label)):
                    self.chosen[label] = look
        for s in series:
            if s.get("like"):
                self.chosen.setdefault(s["label"], self.chosen[s["like"]])
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
            if match := re.fullmatch(r"(.+?) (?:= )?([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)", label):
                steps.setdefault(match[1], {})[label] = float(match[2])
        most = max(steps.values(), key=len, default={})
        if len(most) < 2 or 2 * len(most) < len(labels):
            return
        marks = self.spare["marks"]
        for i, label in enumerate(sorted(most, key=most.get)):
            colour = plt.get_cmap("viridis")(0.85 * i / (len(most) - 1))
            self.chosen[label] = {"colour": colors.to_hex(colour), "dash": "solid", "mark": marks[i % len(marks)]}

    def named(self, label):
        return self.known.get(self.aliases.get(label, label))

    def parted(self, label):
        """The method and what stands behind it: "mine" and "orthogonal"; "linear" and "M = 64"; "hybrid" and
        "-not-conjugated". Before a sampling any name stands, before other words those of the table alone."""
        if self.named(label):
            return label, ""
        method, comma, sampling = label.rpartition(", ")
        if comma and sampling in self.parts:
            return method, sampling
        first, comma, rest = label.partition(", ")
        if comma:
            return (first, rest) if self.named(first) else (label, "")
        first = max((n for n in self.known if label.startswith(n + "-")), key=len, default="")
        return (first, label[len(first):]) if first else (label, "")

    def sampled(self, label):
        """Colour and mark of the method and dashes of the sampling, unless another label of this figure has these."""
        method, rest = self.parted(label)
        if rest not in self.parts:
            return None
        look = {**self.method(method), "dash": self.parts[rest]["dash"]}
        return None if (look["colour"], look["dash"]) in self.taken() else look

    def variant(self, label):
        """Colour and mark of the method and dashes of its own."""
        method, rest = self.parted(label)
        if not rest:
            return None
        look = self.method(method)
        return {**look, "dash": self.free_dash(look["colour"], rest)}

    def method(self, name):
        """The look of a method. Where only its samplings or variants are drawn, it takes a colour and no dashes."""
        if name not in self.chosen:
            look = self.named(name) or self.variant(name) or self.unknown(name)
            # Names of one method, as RFF and ORF, share its colour and not its dashes.
            if name in self.aliases and (look["colour"], look["dash"]) in self.taken():
                look = {**look, "dash": self.free_dash(look["colour"], name)}
            self.chosen[name] = look if name in self.labels else {**look, "dash": None}
        return self.chosen[name]

    def taken(self):
        return {(look["colour"], look["dash"]) for look in self.chosen.values()}

    def free_dash(self, colour, text):
        """The dashes a text hashes to or, where another label of this figure has them in that colour, the next."""
        dashes, taken = self.spare["dashes"], self.taken()
        start = self.hashed(text) % len(dashes)
        tried = dashes[start:] + dashes[:start] + [dash for dash in DASHES if dash not in dashes]
        return next((dash for dash in tried if (colour, dash) not in taken), tried[0])

    @staticmethod
    def hashed(text):
        return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)

    def unknown(self, label):
        """The look its name hashes to or, where others of this figure have that colour, the next that is free; where
        all colours are in use, the next colour and dashes."""
        hues, dashes, marks = (self.spare[k] for k in ("colours", "dashes", "marks"))
        start = self.hashed(label) % len(hues)
        looks = [{"colour": hues[(start + i) % len(hues)], "dash": dash, "mark": marks[(start + i) % len(marks)]}
                 for i, dash in enumerate(dash for dash in dashes for _ in hues)]
        taken = self.taken()
        colours = {colour for colour, _ in taken}
        free = [look for look in looks if look["colour"] not in colours]
        free += [look for look in looks if (look["colour"], look["dash"]) not in taken]
        return (free or looks)[0]
