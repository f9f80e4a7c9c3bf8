"""The files of a drawn figure: SVG and PDF, whole or not at all, the same bytes for the same input."""
import io
import os
import tempfile

from fonts import faces
from words import shown


def name_of(figure, index):
    return figure["panels"][index].get("title") or f"panel {index + 1}"


def description(figure):
    """What a reader who does not see the picture is told."""
    parts = [figure.get("caption", ""), f"{figure['interval']}." if figure.get("interval") else ""]
    for i, panel in enumerate(figure["panels"]):
        what = f"{panel['y']['label']} against {panel['x']['label']}"
        if panel.get("map"):
            parts.append(f"{name_of(figure, i)}: {panel['map']['label']} as colours, {what}.")
        else:
            parts.append(f"{name_of(figure, i)}: {what}: " + "; ".join(s["label"] for s in panel["series"]) + ".")
    return shown(" ".join(p for p in parts if p))


def replace_file(path, bytes_of_it):
    """The new file whole, or the old one."""
    # Named as the program's own, which a run removes where a process was killed.
    handle, temporary = tempfile.mkstemp(prefix=".rfbench-", suffix=".tmp", dir=os.path.dirname(os.path.abspath(path)))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(bytes_of_it)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def save(canvas, figure, source, stem):
    """Both files, named after the JSON, whose sha256 the SVG carries: so it is known which data a picture shows."""
    title = shown(figure.get("title") or figure["name"]).replace("\n", " ")
    svg, pdf = io.BytesIO(), io.BytesIO()
    canvas.savefig(svg, format="svg", metadata={"Date": None, "Title": title, "Source": f"sha256:{source}"})
    canvas.savefig(pdf, format="pdf", metadata={"CreationDate": None, "Title": title})
    escaped = description(figure).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = svg.getvalue().decode().replace("</title>", f"</title>\n <desc>{escaped}</desc>", 1)
    text = text.replace('<style type="text/css">', f'<style type="text/css">{faces(canvas)}', 1)
    replace_file(f"{stem}.svg", text.encode())
    replace_file(f"{stem}.pdf", pdf.getvalue())
