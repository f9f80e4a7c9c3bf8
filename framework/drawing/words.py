"""Numbers and texts as a figure shows them, and the numbers that a file holds."""
import math
import re

import matplotlib
import numpy as np
from matplotlib.textpath import text_to_path


def number(value, digits=6):
    """As in a paper: 0.25, 2000, 3·10⁻⁷; with at most so many digits, two fewer before a power of ten."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞" if value > 0 else "−∞"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    if -4 < power < 5:
        return f"{value:.{digits}g}".replace("-", "−")
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    factor = f"{value / 10.0 ** power:.{digits - 2}g}"
    sign, factor = ("−", factor[1:]) if factor[0] == "-" else ("", factor)
    return f"{sign}10{raised}" if factor == "1" else f"{sign}{factor}·10{raised}"


def shown(text):
    """What a file of text cannot hold is shown as the sign for a lost character."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]", "\ufffd", text)


def wrapped(text, inches, size):
    """Lines not wider than that, broken at spaces; breaks that the text has stay."""
    font = matplotlib.font_manager.FontProperties(size=size)
    fits = lambda line: text_to_path.get_text_width_height_descent(line, font, False)[0] <= 72 * inches
    result = []
    for paragraph in shown(text).split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and not fits(longer):
                result.append(line)
                longer = word
            line = longer
        result.append(line)
    return "\n".join(result)


def values(numbers):
    """null is a gap; "inf" and "-inf" are what they say."""
    return np.array([math.nan if v is None else float(v) for v in numbers])
