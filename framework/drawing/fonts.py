"""The fonts of an SVG, in it: its text stays text and looks everywhere as it was laid out."""
import base64
import functools
import io
import string

import matplotlib.font_manager
import matplotlib.text
from fontTools import subset, ttLib

# In every figure, so that a font is cut to size once for all of them; what else a figure needs is added to it.
ALPHABET = frozenset(string.printable.strip() + " ²³°±·×−–…≤≥γελμσφω")


@functools.lru_cache(maxsize=None)
def face(path, characters):
    """The rule that gives these characters of a font file, the same bytes each time."""
    font = ttLib.TTFont(path, recalcTimestamp=False)
    options = subset.Options(hinting=False, layout_features=[], name_IDs=[1, 2], notdef_outline=True, drop_tables=["FFTM"])
    cut = subset.Subsetter(options)
    cut.populate(text="".join(sorted(characters)))
    cut.subset(font)
    font.flavor = "woff"
    out = io.BytesIO()
    font.save(out)
    read = matplotlib.font_manager.get_font(path)
    weight = "bold" if "Bold" in read.style_name else "normal"
    slant = "italic" if "Oblique" in read.style_name or "Italic" in read.style_name else "normal"
    return (f"@font-face{{font-family:'{read.family_name}';font-weight:{weight};font-style:{slant};"
            f"src:url(data:font/woff;base64,{base64.b64encode(out.getvalue()).decode()})}}")


def faces(canvas):
    """Rules for all fonts that texts of a figure are set in."""
    characters = {}
    for text in canvas.findobj(matplotlib.text.Text):
        if text.get_visible() and text.get_text():
            path = matplotlib.font_manager.findfont(text.get_fontproperties())
            characters.setdefault(path, set(ALPHABET)).update(text.get_text())
    return "".join(face(path, frozenset(used - {"\n"})) for path, used in sorted(characters.items()))
