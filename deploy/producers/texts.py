"""The texts of this folder: their blocks, the page of HTML that they make, and the loop over them."""

import html
import pathlib
import tempfile

PLANTED = {
    "[Party 1]": "Jonathan Whitcomb",
}


def blocks(source):
    """Yields (kind, text or cells): heading1, heading2, number, item, row, paragraph."""
    for line in source.splitlines():
        if line.startswith("## "):
            yield "heading2", line[3:]
        elif line.startswith("# "):
            yield "heading1", line[2:]
        elif line.startswith("- "):
            yield "item", line[2:]
        elif line.startswith("| "):
            yield "row", [c.strip() for c in line.strip("|").split("|")]
        elif line and line[0].isdigit() and ". " in line[:5]:
            yield "number", line.split(". ", 1)
        elif line:
            yield "paragraph", line


def grouped(source):
    """Yields (kind, list of texts): rows and items that follow each other are one table or list."""
    kind, held = None, []
    for k, text in blocks(source):
        if k == kind and k in ("row", "item", "number"):
            held.append(text)
            continue
        if held:
            yield kind, held
        kind, held = k, [text]
    if held:
        yield kind, held


def as_html(source):
    out = ["<!DOCTYPE html><html><head><meta charset='utf-8'><title>Document</title><style>body{font-family:serif;font-size:12pt}"
           "td{padding:2pt 24pt 2pt 0}</style></head><body>"]
    for kind, texts in grouped(source):
        if kind == "heading1":
            out.append("<h1>%s</h1>" % html.escape(texts[0]))
        elif kind == "heading2":
            out.append("<h2>%s</h2>" % html.escape(texts[0]))
        elif kind == "item":
            out.append("<ul>" + "".join("<li>%s</li>" % html.escape(t) for t in texts) + "</ul>")
        elif kind == "number":
            out.append("<ol start='%s'>" % texts[0][0] + "".join("<li>%s</li>" % html.escape(t[1]) for t in texts) + "</ol>")
        elif kind == "row":
            out.append("<table>" + "".join(
                "<tr>" + "".join("<td>%s</td>" % html.escape(c) for c in row) + "</tr>" for row in texts) + "</table>")
        else:
            out.append("<p>%s</p>" % html.escape(texts[0]))
    return "\n".join(out + ["</body></html>"])


def each(sources, out, write):
    """Calls write(name, source, folder, work) for each text, as it is for clean/ and with the planted name for planted/."""
    for form in ("clean", "planted"):
        folder = pathlib.Path(out).resolve() / form
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(pathlib.Path(sources).glob("*.txt")):
            source = path.read_text()
            if form == "planted":
                for label, value in PLANTED.items():
                    source = source.replace(label, value)
            with tempfile.TemporaryDirectory() as work:
                write(path.stem, source, folder, pathlib.Path(work))
            (folder / (path.stem + ".txt")).write_text(source)
