"""What drawing/draw.py promises of every figure, asked of matplotlib's own objects: python3 figures.py"""
import base64
import io
import itertools
import json
import math
import os
import re
import sys
import tempfile
import unittest
from unittest import mock

DRAWING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "framework", "drawing")
sys.path.insert(0, DRAWING)
sys.dont_write_bytecode = True
import draw  # noqa: E402
import files  # noqa: E402
import words  # noqa: E402
import numpy as np  # noqa: E402
from fontTools import ttLib  # noqa: E402
import propose  # noqa: E402
from looks import DASHES  # noqa: E402
from sight import APART, FROM_WHITE, distance, seen  # noqa: E402

draw.prepare()
TABLE = draw.looks_table()


def series(label, x, y, **more):
    return {"label": label, "style": "line", "x": list(x), "y": list(y), **more}


def panel(*all_series, **more):
    return {"x": {"label": "x"}, "y": {"label": "y"}, "series": list(all_series), **more}


def figure(*panels, **more):
    return {"name": "f", "title": "", "columns": 1, "panels": list(panels), **more}


def looks(*labels, **more):
    return draw.Looks(TABLE, figure(panel(*(series(label, [1], [1], **more) for label in labels))))


class Drawn(unittest.TestCase):
    """Tests that look at a drawn figure."""

    def drawn(self, spec):
        canvas = draw.drawn(spec, TABLE)
        self.addCleanup(draw.plt.close, canvas)
        return canvas

    def by_id(self, canvas, gid):
        return canvas.findobj(lambda artist: artist.get_gid() == gid)

    def ticks(self, canvas, axis="x"):
        ax = canvas.axes[0]
        low, high = sorted(getattr(ax, f"get_{axis}lim")())
        line = getattr(ax, f"{axis}axis")
        canvas.canvas.draw()
        return [t.label1.get_text() for t in line.get_major_ticks() if low <= t.get_loc() <= high]


class Numbers(unittest.TestCase):
    def test_numbers_are_written_as_in_a_paper(self):
        for value, text in ((0, "0"), (0.25, "0.25"), (-2, "−2"), (2000, "2000"), (1e5, "10⁵"), (3e-7, "3·10⁻⁷"),
                            (-1e-10, "−10⁻¹⁰"), (12345, "12345"), (0.001, "0.001"), (1e3, "1000")):
            self.assertEqual(words.number(value), text)

    def test_what_is_written_is_the_number(self):
        back = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
        for power, factor, sign in itertools.product(range(-300, 300, 7), (1, 2, 2.5, 9.5), (1, -1)):
            value = sign * factor * 10.0 ** power
            text = words.number(value)
            if "10" in text and any(c in text for c in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"):
                mantissa, _, raised = text.rpartition("10")
                mantissa = mantissa.rstrip("·").translate(back)
                read = float({"": "1", "-": "-1"}.get(mantissa, mantissa)) * 10.0 ** int(raised.translate(back))
            else:
                read = float(text.translate(back))
            self.assertTrue(math.isclose(read, value, rel_tol=1e-9), (text, value))


class Palette(unittest.TestCase):
    def test_members_of_a_family_are_told_apart_by_all(self):
        for name, family in TABLE["families"].items():
            if name == "exact":
                continue
            for (a, one), (b, other) in itertools.combinations(family.items(), 2):
                self.assertGreater(distance(one["colour"], other["colour"]), APART,
                                   f"{a} and {b}; 'rfbench look NAME' proposes a colour")

    def test_members_of_a_family_differ_without_colour(self):
        for name, family in TABLE["families"].items():
            if name == "exact":
                continue
            shapes = [(look["dash"], look["mark"]) for look in family.values()]
            self.assertEqual(len(set(shapes)), len(shapes), f"{name}; 'rfbench look NAME' proposes a shape")

    def test_no_colour_is_lost_on_white(self):
        colours = [look["colour"] for family in TABLE["families"].values() for look in family.values()]
        for colour in colours + TABLE["unknown"]["colours"]:
            self.assertGreater(distance(colour, "#ffffff"), FROM_WHITE, colour)

    def test_all_looks_can_be_drawn(self):
        for family in TABLE["families"].values():
            for name, look in family.items():
                self.assertIn(look["dash"], DASHES, name)
                draw.matplotlib.lines.Line2D([], [], marker=look["mark"])
        for dash in TABLE["unknown"]["dashes"]:
            self.assertIn(dash, DASHES)


class Proposal(unittest.TestCase):
    def test_a_proposed_look_is_one_that_the_family_has_room_for(self):
        for name, family in TABLE["families"].items():
            look, apart = propose.proposed(name, TABLE)
            for member, other in family.items():
                self.assertGreater(distance(look["colour"], other["colour"]), APART, f"{name}: {member}")
                self.assertNotEqual((look["dash"], look["mark"]), (other["dash"], other["mark"]), f"{name}: {member}")
                self.assertGreaterEqual(distance(look["colour"], other["colour"]), apart - 1e-9)
            self.assertGreater(distance(look["colour"], "#ffffff"), FROM_WHITE, name)
            self.assertIn(look["dash"], DASHES)

    def test_distances_are_those_of_published_values(self):
        # White is L = 100, a = b = 0 for every sight; two greys differ in L alone.
        self.assertAlmostEqual(distance("#ffffff", "#000000"), 100, delta=0.05)
        # Red and green of one lightness are far apart, but not for who is red-green blind.
        self.assertLess(distance("#b86000", "#7d7d00"), 15)


class LooksByName(unittest.TestCase):
    def test_a_name_has_its_look_whatever_else_is_drawn(self):
        alone = looks("positive")["positive"]
        for others in (("trigonometric", "positive"), ("positive", "mine", "yours"), ("zzz", "positive", "iid")):
            self.assertEqual(looks(*others)["positive"], alone)
        self.assertEqual(alone, TABLE["families"]["positive"]["positive"])

    def test_a_name_with_a_sampling_has_the_colour_of_the_one_and_the_dashes_of_the_other(self):
        methods = ("positive", "balanced-positive", "c of 2", "mine", "hybrid-not-conjugated", "WPFF, 100 steps", "a, b")
        samplings = {name: look["dash"] for name, look in TABLE["families"]["samplings"].items()}
        labels = {name: [f"{name}, {sampling}" for sampling in ("iid", "orthogonal", "sobol")] for name in methods}
        chosen = looks(*itertools.chain(*labels.values()))
        for name, pairs in labels.items():
            self.assertEqual({(chosen[pair]["colour"], chosen[pair]["mark"]) for pair in pairs},
                             {(chosen[pairs[0]]["colour"], chosen[pairs[0]]["mark"])}, name)
            self.assertEqual([chosen[pair]["dash"] for pair in pairs],
                             [samplings[sampling] for sampling in ("iid", "orthogonal", "sobol")], name)
        self.assertEqual(len({chosen[pairs[0]]["colour"] for pairs in labels.values()}), len(methods))
        self.assertEqual(chosen["positive, iid"]["colour"], TABLE["families"]["positive"]["positive"]["colour"])

    def test_a_name_has_one_colour_alone_and_with_a_sampling(self):
        for name in ("positive", "balanced-positive", "c of 2"):
            for labels in ((name, f"{name}, sobol"), (f"{name}, sobol", name)):
                chosen = looks(*labels)
                self.assertEqual(chosen[name], looks(name)[name])
                self.assertEqual(chosen[f"{name}, sobol"]["colour"], chosen[name]["colour"])

    def test_the_colour_of_a_name_in_the_table_is_left_to_it(self):
        # Some of these names hash to the colour of trigonometric features, and some to that of each other.
        for i in range(40):
            chosen = looks(f"mine {i}th, orthogonal", "trigonometric, iid", f"yours {i}th")
            self.assertEqual(len({look["colour"] for look in chosen.chosen.values()}), 3, i)

    def test_variants_and_other_words_for_a_name_have_its_colour(self):
        chosen = looks("hybrid", "hybrid-not-conjugated", "Monte Carlo", "dense-centred-mine")
        self.assertEqual(chosen["hybrid-not-conjugated"]["colour"], chosen["hybrid"]["colour"])
        self.assertEqual(chosen["Monte Carlo"], TABLE["families"]["samplings"]["iid"])
        self.assertEqual(chosen["dense-centred-mine"]["mark"], TABLE["families"]["dense"]["dense-centred"]["mark"])
        for word, name in TABLE["aliases"].items():
            self.assertEqual(looks(word)[word], looks(name)[name])
            self.assertEqual(looks(f"{word}, M = 64")[f"{word}, M = 64"]["colour"], looks(name)[name]["colour"])

    def test_names_of_one_method_share_its_colour_and_differ_in_dashes(self):
        names = ["RFF", "ORF", "SORF", "trigonometric"]
        chosen = looks(*names)
        self.assertEqual(chosen["trigonometric"], TABLE["families"]["signed"]["trigonometric"])
        self.assertEqual(len({chosen[name]["colour"] for name in names}), 1)
        self.assertEqual(len({chosen[name]["dash"] for name in names}), 4)

    def test_a_name_not_in_the_table_keeps_its_look(self):
        self.assertEqual(looks("mine")["mine"], looks("trigonometric", "mine")["mine"])

    def test_no_two_labels_of_a_figure_look_alike(self):
        labels = [f"other {i}th" for i in range(20)] + ["positive", "trigonometric", "poisson, sobol", "poisson, mine"]
        labels += ["linear, M = 64", "fitted, M = 64", "gradient, M = 64"]
        labels += ["positive, iid", "positive, orthogonal", "WPFF, orthogonal", "WPFF, b, orthogonal", "other 1th, iid"]
        chosen = looks(*labels)
        self.assertEqual(len({(chosen[n]["colour"], chosen[n]["dash"]) for n in labels}), len(labels))

    def test_quantities_are_steps_from_dark_to_light(self):
        labels = [f"d = {d}" for d in (64, 2, 8, 1e3)]
        chosen = looks(*labels, "trigonometric")
        lightness = [seen([chosen[f"d = {d}"]["colour"]], "normal")[0, 0] for d in (2, 8, 64, 1e3)]
        self.assertEqual(lightness, sorted(lightness))
        self.assertEqual(chosen["trigonometric"], TABLE["families"]["signed"]["trigonometric"])
        for a, b in itertools.combinations(labels, 2):
            self.assertGreater(distance(chosen[a]["colour"], chosen[b]["colour"]), 12)

    def test_what_is_numbered_are_steps_too(self):
        chosen = looks(*(f"layer {i}" for i in range(1, 7)), "as printed")
        lightness = [seen([chosen[f"layer {i}"]["colour"]], "normal")[0, 0] for i in range(1, 7)]
        self.assertEqual(lightness, sorted(lightness))

    def test_a_version_is_no_number(self):
        looks("mine 1.0.2", "mine 1.0.3", "mine ...")

    def test_variants_of_one_name_differ_in_their_dashes(self):
        for labels in (("PFF, chi radii", "PFF, as printed", "PFF, b"), ("linear, a", "linear, b", "linear, c")):
            chosen = looks(*labels)
            self.assertEqual(len({chosen[label]["colour"] for label in labels}), 1)
            self.assertEqual(len({chosen[label]["dash"] for label in labels}), 3)
        self.assertEqual(looks("PFF, b")["PFF, b"]["colour"], TABLE["families"]["positive"]["positive-fixed"]["colour"])

    def test_a_series_can_look_like_another_or_as_its_own_file_says(self):
        spec = figure(panel(series("d = 2", [1], [1]), series("drawn", [1], [1], like="d = 2"),
                            series("mine", [1], [1], look={"colour": "#123456"})))
        chosen = draw.Looks(TABLE, spec)
        self.assertEqual(chosen["drawn"], chosen["d = 2"])
        self.assertEqual(chosen["mine"]["colour"], "#123456")


class Styles(unittest.TestCase):
    def test_a_setting_that_matplotlib_does_not_know_is_refused_at_its_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".mplstyle") as file:
            file.write("lines.linewidth: 2  # in points\n\nlines.linewith: 2\n")
            file.flush()
            with self.assertRaises(SystemExit) as refused:
                draw.prepare(file.name)
        self.assertIn(":3: there is no setting 'lines.linewith'; did you mean 'lines.linewidth'?", str(refused.exception))
        draw.prepare()


class PointsOnCurves(Drawn):
    def test_the_entry_of_a_curve_shows_the_mark_of_the_points_on_it(self):
        on_it = series("d = 2, drawn", [1], [1], style="points", like="d = 2", legend=False)
        beside = series("others", [1], [2], style="points", legend=False)
        canvas = self.drawn(figure(panel(series("d = 2", [1, 2], [1, 1]), on_it, series("d = 8", [1, 2], [2, 2]), beside)))
        mark = self.by_id(canvas, "panel-1-series-2")[0].get_marker()
        self.assertEqual([line.get_marker() for line in canvas.legends[-1].get_lines()], [mark, "None"])

    def test_they_are_smaller_than_points_that_stand_alone(self):
        canvas = self.drawn(figure(panel(series("a", [1, 2], [1, 1]), series("b", [1], [1], style="points", like="a"),
                                         series("c", [1], [2], style="points"))))
        small, large = (self.by_id(canvas, f"panel-1-series-{i}")[0].get_markersize() for i in (2, 3))
        self.assertLess(small, 0.8 * large)


class Rows(Drawn):
    def height(self, names, style, columns=2):
        ticks = [{"at": i, "text": f"name {i}"} for i in range(names)]
        one = panel(series("a", range(names), range(names), style=style), y={"label": "", "ticks": ticks})
        return self.drawn(figure(one, one, columns=columns)).get_figheight()

    def test_rows_of_points_are_as_high_as_their_names(self):
        one, nine, ten = (self.height(names, "points") for names in (1, 9, 10))
        self.assertAlmostEqual(nine - one, 8 * (ten - nine))
        self.assertGreater(ten, nine)

    def test_curves_and_maps_have_room_however_few_names_there_are(self):
        self.assertEqual(self.height(1, "line"), self.height(2, "line"))
        self.assertGreater(self.height(1, "line"), self.height(1, "points") + 1)
        surface = {"label": "z", "x": [0, 1], "y": [0, 1], "z": [[1, 2], [3, 4]]}
        bare, named = ({"x": {"label": ""}, "y": {"label": "", "ticks": ticks}, "map": surface}
                       for ticks in ([], [{"at": 0, "text": "name"}]))
        self.assertEqual(self.drawn(figure(named)).get_figheight(), self.drawn(figure(bare)).get_figheight())


class Edges(Drawn):
    def beyond(self, y, style="line", **axis):
        one = {"label": "a", "style": style, "x": list(range(len(y))), "y": y}
        canvas = self.drawn(figure(panel(one, y={"label": "y", "range": [0, 10], **axis})))
        marks = canvas.findobj(lambda artist: (artist.get_gid() or "").startswith("panel-1-series-1-beyond"))
        return {mark.get_marker(): (list(mark.get_xdata()), list(mark.get_ydata())) for mark in marks}

    def test_what_a_range_cuts_off_is_marked_where_it_leaves(self):
        self.assertEqual(self.beyond([1, 2, 3]), {})
        self.assertEqual(self.beyond([1, 20, 3, -4], "points"), {"^": ([1], [10]), "v": ([3], [0])})
        self.assertEqual(self.beyond([1, "inf", 3, "-inf"]), {"^": ([1], [10]), "v": ([3], [0])})

    def test_of_a_line_each_part_outside_has_one_mark(self):
        self.assertEqual(self.beyond([1, 20, 30, 40, 3, 50]), {"^": ([1, 5], [10, 10])})

    def test_of_several_marks_at_one_place_all_are_seen(self):
        same = [series(label, [1, 2], [1, 20]) for label in "abc"]
        canvas = self.drawn(figure(panel(*same, y={"label": "", "range": [0, 10]})))
        marks = [self.by_id(canvas, f"panel-1-series-{i}-beyond-^")[0] for i in (1, 2, 3)]
        sizes = [mark.get_markersize() for mark in marks]
        self.assertEqual(sizes, sorted(set(sizes), reverse=True))
        self.assertEqual({mark.get_markeredgecolor() for mark in marks}, {"white"})

    def test_what_triangles_say_is_said_where_there_are_some(self):
        for y, said in (([1, 20], True), ([1, 2], False)):
            canvas = self.drawn(figure(panel(series("a", [1, 2], y), y={"label": "", "range": [0, 10]})))
            self.assertEqual(any("Triangles" in text.get_text() for text in shown_texts(canvas)), said)

    def test_cut_intervals_are_marked_too(self):
        one = series("a", [1, 2], [1, 2], low=[0.5, 1], high=[1.5, 99], spread="bars")
        canvas = self.drawn(figure(panel(one, y={"label": "", "range": [0, 10]})))
        self.assertEqual([list(m.get_xdata()) for m in self.by_id(canvas, "panel-1-series-1-high-beyond-^")], [[2]])

    def test_the_outermost_cells_of_a_map_are_whole(self):
        def limits(nodes, **axis):
            surface = {"label": "z", "x": nodes, "y": [0, 1], "z": [[1, 2]] * len(nodes)}
            one = {"x": {"label": "", **axis}, "y": {"label": ""}, "map": surface}
            return [list(getattr(self.drawn(figure(one)).axes[0], f"get_{a}lim")()) for a in "xy"]
        self.assertEqual(limits([-6, 0, 6]), [[-9, 9], [-0.5, 1.5]])
        for found, edge in zip(limits([1, 100], log=True)[0], [0.1, 1000]):
            self.assertAlmostEqual(found / edge, 1)

    def test_without_a_range_all_is_inside(self):
        canvas = self.drawn(figure(panel(series("a", [1, 2], [5, -70], low=[4, -300], high=[6, 900]))))
        low, high = canvas.axes[0].get_ylim()
        self.assertTrue(low < -300 and high > 900)

    def test_a_reference_line_without_a_place_is_left_out(self):
        one = panel(series("a", [1, 2], [1, 2]), horizontal=[{"at": None, "text": "none"}, {"at": 1.5, "text": "half"}],
                    vertical=[{"at": "inf", "text": "far"}])
        texts = [text.get_text() for text in shown_texts(self.drawn(figure(one)))]
        self.assertIn("half", texts)
        self.assertNotIn("none", texts)
        self.assertNotIn("far", texts)

    def test_the_widest_ranges_of_numbers_have_axes(self):
        for log, y in ((True, [1e-320, 1e300]), (False, [-1e308, 1e308])):
            canvas = self.drawn(figure(panel(series("a", [1, 2], y), y={"label": "", "log": log})))
            self.assertTrue(np.all(np.isfinite(canvas.axes[0].get_ylim())))

    def test_gaps_stay_gaps_and_a_lone_point_is_seen(self):
        canvas = self.drawn(figure(panel(series("a", range(5), [1, None, 3, None, 5]), series("b", range(5), range(5)))))
        line = self.by_id(canvas, "panel-1-series-1")[0]
        self.assertEqual(int(np.isnan(line.get_ydata()).sum()), 2)
        self.assertEqual(line.get_markevery(), [0, 2, 4])
        self.assertNotEqual(line.get_marker(), "None")
        self.assertEqual(self.by_id(canvas, "panel-1-series-2")[0].get_marker(), "None")

    def test_the_interval_of_a_lone_point_is_seen(self):
        band = series("a", [1, 2, 3], [1, None, 3], low=[0.5, None, 2], high=[2, None, 4])
        (lines,) = self.by_id(self.drawn(figure(panel(band))), "panel-1-series-1-lone-intervals")
        self.assertEqual([[list(end) for end in line] for line in lines.get_segments()],
                         [[[1, 0.5], [1, 2]], [[3, 2], [3, 4]]])
        whole = series("a", [1, 2], [1, 3], low=[0.5, 2], high=[2, 4])
        self.assertEqual(self.by_id(self.drawn(figure(panel(whole))), "panel-1-series-1-lone-intervals"), [])

    def test_a_lone_point_is_seen_where_marks_of_curves_stand_at_other_points(self):
        # The second curve has one value above zero, at a point where the first has its mark.
        both = [series("a", range(1, 7), [1] * 6), series("b", range(1, 7), [1] + 5 * [0])]
        for one in both:
            one["style"] = "line and points"
        canvas = self.drawn(figure(panel(*both, y={"label": "", "log": True})))
        first, second = (self.by_id(canvas, f"panel-1-series-{i}")[0].get_markevery() for i in (1, 2))
        self.assertIn(0, first)
        self.assertIn(0, second)
        self.assertLess(len(second), 6)

    def test_intervals_that_reach_below_a_log_axis_reach_the_frame(self):
        one = series("a", [1, 2, 3], [1, 1, 1], low=[0.5, -1, 0.5], high=[2, 3, "inf"], spread="bars")
        canvas = self.drawn(figure(panel(one, y={"label": "", "log": True})))
        bars = self.by_id(canvas, "panel-1-series-1-interval")[0].get_segments()
        bottom, top = canvas.axes[0].get_ylim()
        self.assertEqual([bar[:, 1].tolist() for bar in bars], [[0.5, 2], [bottom, 3], [0.5, top]])


class Ticks(Drawn):
    def test_whole_things_have_whole_ticks(self):
        for top in (3, 5, 12, 40):
            canvas = self.drawn(figure(panel(series("a", range(1, top + 1), range(top)))))
            for axis in "xy":
                for text in self.ticks(canvas, axis):
                    self.assertEqual(float(text), round(float(text)))

    def test_the_few_values_there_are_are_the_ticks(self):
        canvas = self.drawn(figure(panel(series("a", [16, 64, 256], [1, 2, 3]), x={"label": "M", "log": True})))
        self.assertEqual(self.ticks(canvas), ["16", "64", "256"])
        odd = self.drawn(figure(panel(series("a", [0.1, 0.1 ** 0.5, 1], [1, 2, 3]), x={"label": "γ", "log": True})))
        self.assertEqual(self.ticks(odd), ["0.1", "1"])

    def test_every_decade_of_a_log_axis_has_its_mark_wherever_the_axis_begins(self):
        x = np.geomspace(512, 131072, 30)
        canvas = self.drawn(figure(panel(series("a", x, x), x={"label": "", "log": True})))
        self.assertEqual(self.ticks(canvas), ["1000", "10000", "10⁵"])

    def test_less_than_two_decades_have_ticks_too(self):
        for low, high in ((15, 150), (2, 9), (3, 4)):
            x = np.geomspace(low, high, 30)
            canvas = self.drawn(figure(panel(series("a", x, x), x={"label": "", "log": True})))
            self.assertGreaterEqual(len(self.ticks(canvas)), 2, (low, high))

    def test_no_two_ticks_have_one_text(self):
        for low, step in ((-2.07944154, 1e-8), (1, 1e-9), (0.1, 1e-7), (1e7, 1e-3), (3e-9, 1e-15)):
            y = [low, low + step, low + 2 * step]
            texts = self.ticks(self.drawn(figure(panel(series("a", [1, 2, 3], y)))), "y")
            self.assertGreaterEqual(len(texts), 3)
            self.assertEqual(len(set(texts)), len(texts), texts)

    def test_names_stand_on_the_axis(self):
        names = ["centred-optimal-positive", "b", "c"]
        ticks = [{"at": i, "text": name} for i, name in enumerate(names)]
        canvas = self.drawn(figure(panel(series("a", [0, 1, 2], [1, 2, 3]), y={"label": "", "ticks": ticks})))
        self.assertEqual(self.ticks(canvas, "y"), names)


def everything():
    """Figures that use everything a figure can have, at both widths."""
    many = [series(name, range(10), [i + k for k in range(10)], style="line and points", low=[i + k - 1 for k in range(10)],
                   high=[i + k + 1 for k in range(10)])
            for i, name in enumerate(n for f in TABLE["families"].values() for n in f)]
    ticks = [{"at": i, "text": "a-long-name-" + "x" * i} for i in range(9)]
    nodes = [0.1, 1, 2, 4]
    surface = {"label": "ln Var", "x": nodes, "y": nodes, "z": [[a * b for b in nodes] for a in nodes], "contours": [2]}
    mapped = {"x": {"label": "norm", "log": True}, "y": {"label": "angle"}, "map": surface,
              "vertical": [{"at": 1, "text": "unit"}], "title": "a title that is longer than its panel is wide, so it breaks"}
    full = panel(*many, title="all", horizontal=[{"at": 3, "text": "bound"}], annotations=[{"x": 3, "y": 9, "text": "here"}])
    named = panel(*many[:3], x={"label": "", "ticks": ticks})
    down = panel(*many[:3], y={"label": "", "ticks": ticks})
    title = "A title that is far too long for one line of a figure of one column, and a $bit$ more of it"
    return [figure(full, title=title, interval="bands: one more and one less"),
            figure(mapped, mapped, mapped, columns=3, title=title), figure(named, down, columns=2, title=title)]


class Print(Drawn):
    def test_figures_are_as_wide_as_columns_and_their_text_can_be_read(self):
        for spec in everything():
            canvas = self.drawn(spec)
            self.assertEqual(canvas.get_figwidth(), 3.5 if spec["columns"] == 1 else 7.2)
            for text in canvas.findobj(draw.matplotlib.text.Text):
                if text.get_text() and text.get_visible():
                    self.assertGreaterEqual(text.get_fontsize(), 7, text.get_text())

    def test_texts_appear_as_they_are_written(self):
        # Texts that matplotlib would hide or take for a formula, and one that a text file cannot hold.
        label, title, axis = "_hidden", "$a_1$ & <b>", "bell\x07"
        canvas = self.drawn(figure(panel(series(label, [1, 2], [1, 2]), title=title, x={"label": axis})))
        texts = [text.get_text() for text in shown_texts(canvas)]
        for text in (label, title, "bell\ufffd"):
            self.assertEqual(texts.count(text), 1, texts)
        self.assertFalse(any(text.get_parse_math() for text in shown_texts(canvas)))

    def test_a_picture_for_a_paper_has_no_title(self):
        for titled in (True, False):
            canvas = draw.drawn(figure(panel(series("a", [1, 2], [1, 2])), title="What is seen"), TABLE, titled)
            self.addCleanup(draw.plt.close, canvas)
            self.assertEqual([t.get_text() for t in shown_texts(canvas)].count("What is seen"), int(titled))

    def test_characters_that_the_font_lacks_are_named(self):
        for label, said in (("x \u6f22", "no \u6f22 (U+6F22)"), ("x", "")):
            with tempfile.TemporaryDirectory() as folder, mock.patch("sys.stderr", io.StringIO()) as errors:
                path = os.path.join(folder, "f.json")
                with open(path, "w") as file:
                    json.dump(figure(panel(series("a", [1, 2], [1, 2]), x={"label": label})), file)
                draw.draw_file(path, TABLE, True)
                self.assertIn(said, errors.getvalue())
                self.assertEqual(bool(said), bool(errors.getvalue()))

    def test_the_label_of_a_colour_bar_stands_nearer_to_its_bar_than_to_the_next_panel(self):
        canvas = self.drawn(everything()[1])
        canvas.canvas.draw()
        renderer = canvas.canvas.get_renderer()
        panels = [self.by_id(canvas, f"panel-{i}")[0] for i in (1, 2, 3)]
        bars = [ax for ax in canvas.axes if ax.get_ylabel() == "ln Var"]
        self.assertEqual(len(bars), 3)
        for bar, after in zip(bars, panels[1:]):
            label = bar.yaxis.label.get_window_extent(renderer)
            numbers = max(tick.label2.get_window_extent(renderer).x1 for tick in bar.yaxis.get_major_ticks())
            self.assertLess(2 * (label.x0 - numbers), after.yaxis.get_tightbbox(renderer).x0 - label.x1)

    def test_an_interval_is_said_once_in_the_picture_and_in_its_description(self):
        spec = figure(panel(series("a", [1, 2], [1, 2], low=[0, 1], high=[2, 3])), interval="Bands: these", caption="What.")
        texts = [text.get_text() for text in shown_texts(self.drawn(spec))]
        self.assertEqual(sum("Bands: these" in text for text in texts), 1)
        self.assertEqual(files.description(spec).count("Bands: these."), 1)

    def test_no_text_is_cut_off_at_the_border(self):
        for spec in everything():
            canvas = self.drawn(spec)
            canvas.canvas.draw()
            renderer = canvas.canvas.get_renderer()
            for text in shown_texts(canvas):
                box = text.get_window_extent(renderer)
                inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= canvas.bbox.x1 + 1 and box.y1 <= canvas.bbox.y1 + 1
                self.assertTrue(inside, (text.get_text(), box, canvas.bbox))

    def test_words_beside_reference_lines_stand_outside_the_frame(self):
        canvas = self.drawn(everything()[0])
        canvas.canvas.draw()
        word = next(t for t in shown_texts(canvas) if t.get_text() == "bound")
        self.assertGreaterEqual(word.get_window_extent().x0, canvas.axes[0].get_window_extent().x1)


class Layout(Drawn):
    def svg(self, spec, nudge):
        """As it is drawn where the layout ends so much further to the right and above."""
        engine = draw.matplotlib.layout_engine.ConstrainedLayoutEngine
        execute = engine.execute

        def nudged(self, canvas):
            execute(self, canvas)
            for ax in canvas.axes:
                for which in ("original", "active"):
                    left, bottom, width, height = ax.get_position(which == "original").bounds
                    ax.set_position([left + nudge, bottom + nudge, width, height], which)

        with mock.patch.object(engine, "execute", nudged), tempfile.TemporaryDirectory() as folder:
            files.save(self.drawn(spec), spec, "", os.path.join(folder, "f"))
            with open(os.path.join(folder, "f.svg"), "rb") as file:
                return file.read()

    def test_the_last_bits_of_the_layout_change_no_byte(self):
        for spec in everything():
            self.assertEqual(self.svg(spec, 0), self.svg(spec, 2e-16))
            self.assertNotEqual(self.svg(spec, 0), self.svg(spec, 0.01))


class Fonts(Drawn):
    def faces(self, spec):
        """Of the fonts in a figure's SVG: family, weight and characters."""
        canvas = self.drawn(spec)
        with tempfile.TemporaryDirectory() as folder:
            files.save(canvas, spec, "", os.path.join(folder, "f"))
            with open(os.path.join(folder, "f.svg"), encoding="utf-8") as file:
                svg = file.read()
        rule = r"@font-face{font-family:'([^']*)';font-weight:(\w*);font-style:normal;src:url\(data:font/woff;base64,([^)]*)\)}"
        found = {}
        for family, weight, data in re.findall(rule, svg):
            font = ttLib.TTFont(io.BytesIO(base64.b64decode(data)))
            found[family, weight] = set(map(chr, font.getBestCmap()))
        return canvas, svg, found

    def test_an_svg_has_the_characters_of_its_texts_in_its_own_fonts(self):
        for spec in everything() + [figure(panel(series("a", [1, 2], [1, 2])), title="Größe ∮")]:
            canvas, svg, found = self.faces(spec)
            for text in shown_texts(canvas):
                family = text.get_fontproperties().get_family()[0].replace("sans-serif", "DejaVu Sans")
                self.assertIn(f"'{family}'", svg)
                self.assertLessEqual(set(text.get_text()) - {"\n"}, found[family, text.get_fontweight()], text.get_text())

    def test_fonts_are_the_same_whatever_was_drawn_before(self):
        spec = figure(panel(series("a", [1, 2], [1, 2])))
        before = self.faces(spec)[1]
        self.faces(figure(panel(series("a", [1, 2], [1, 2])), title="∰"))
        self.assertEqual(self.faces(spec)[1], before)


def shown_texts(canvas):
    """All but ticks that lie outside their axis, which are not drawn."""
    hidden = set()
    for ax in canvas.findobj(draw.matplotlib.axes._base._AxesBase):
        for line, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            for tick in line.get_major_ticks() + line.get_minor_ticks():
                if not min(limits) <= tick.get_loc() <= max(limits):
                    hidden |= {tick.label1, tick.label2}
    return [t for t in canvas.findobj(draw.matplotlib.text.Text) if t.get_text() and t.get_visible() and t not in hidden]


if __name__ == "__main__":
    unittest.main()
