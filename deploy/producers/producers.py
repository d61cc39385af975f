"""Writes the sources of this folder with the programs that lawyers' documents come from.

Usage: producers.py SOURCES OUT. SOURCES holds NAME.txt; OUT gets clean/ and planted/ with NAME.PRODUCER.EXTENSION. A producer that is not
installed is an error: the corpus must not lose one silently. The programs in Node and Java are run by the script that calls this one.
"""

import html
import shutil
import subprocess
import sys

import cairo
import docx
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import ListFlowable, ListItem, Paragraph, SimpleDocTemplate, Spacer, Table

from texts import as_html, blocks, each, grouped


def as_latex(source):
    def e(text):
        return "".join({"$": r"\$", "%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_"}.get(c, c) for c in text)
    out = [r"\documentclass[12pt,letterpaper]{article}\usepackage[T1]{fontenc}\usepackage{mathptmx}"
           r"\hyphenpenalty=10000\sloppy\begin{document}"]
    for kind, texts in grouped(source):
        if kind == "heading1":
            out.append(r"\section*{%s}" % e(texts[0]))
        elif kind == "heading2":
            out.append(r"\subsection*{%s}" % e(texts[0]))
        elif kind == "item":
            out.append(r"\begin{itemize}" + "".join(r"\item{} %s " % e(t) for t in texts) + r"\end{itemize}")
        elif kind == "number":
            out.append(r"\begin{enumerate}\setcounter{enumi}{%d}" % (int(texts[0][0]) - 1) +
                       "".join(r"\item{} %s " % e(t[1]) for t in texts) + r"\end{enumerate}")
        elif kind == "row":
            out.append(r"\noindent\begin{tabular}{%s}" % ("p{7cm}" * len(texts[0])) +
                       "".join(" & ".join("{" + e(c) + "}" for c in row) + r" \\ " for row in texts) + r"\end{tabular}" + "\n")
        else:
            out.append(e(texts[0]) + "\n")
    return "\n".join(out + [r"\end{document}"])


def lines(source, width):
    """Yields (size, text, x) of lines that fit a page."""
    import textwrap
    for kind, text in blocks(source):
        size = {"heading1": 17, "heading2": 14}.get(kind, 11)
        if kind == "row":
            yield size, [(72 + i * 260, c) for i, c in enumerate(text)]
            continue
        if kind == "number":
            text = text[0] + ". " + text[1]
        if kind == "item":
            text = "- " + text
        for part in textwrap.wrap(text, width if size == 11 else width - 30):
            yield size, [(72, part)]
        yield size, []


def as_postscript(source):
    out, y = ["%!PS-Adobe-3.0\n<</PageSize [612 792]>> setpagedevice"], 720
    for size, cells in lines(source, 88):
        for x, text in cells:
            text = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            out.append("/Times-Roman findfont %d scalefont setfont %d %d moveto (%s) show" % (size, x, y, text))
        y -= size * 1.3 if cells else 6
        if y < 72:
            out.append("showpage")
            y = 720
    return "\n".join(out + ["showpage"])


def with_cairo(source, path):
    surface = cairo.PDFSurface(str(path), 612, 792)
    c, y = cairo.Context(surface), 72
    c.select_font_face("Liberation Serif")
    for size, cells in lines(source, 80):
        c.set_font_size(size)
        for x, text in cells:
            c.move_to(x, y)
            c.show_text(text)
        y += size * 1.3 if cells else 6
        if y > 720:
            c.show_page()
            y = 72
    surface.finish()


def with_reportlab(source, path):
    styles, story = getSampleStyleSheet(), []
    for kind, texts in grouped(source):
        if kind in ("heading1", "heading2"):
            story.append(Paragraph(html.escape(texts[0]), styles["Heading1" if kind == "heading1" else "Heading2"]))
        elif kind == "item":
            story.append(ListFlowable([ListItem(Paragraph(html.escape(t), styles["Normal"])) for t in texts], bulletType="bullet"))
        elif kind == "number":
            story.append(ListFlowable([ListItem(Paragraph(html.escape(t[1]), styles["Normal"])) for t in texts],
                                      bulletType="1", start=int(texts[0][0])))
        elif kind == "row":
            story.append(Table(texts))
        else:
            story.append(Paragraph(html.escape(texts[0]), styles["Normal"]))
        story.append(Spacer(1, 6))
    SimpleDocTemplate(str(path), pagesize=letter).build(story)


def with_python_docx(source, path):
    d = docx.Document()
    for kind, texts in grouped(source):
        if kind in ("heading1", "heading2"):
            d.add_heading(texts[0], 1 if kind == "heading1" else 2)
        elif kind == "item":
            for t in texts:
                d.add_paragraph(t, style="List Bullet")
        elif kind == "number":
            for t in texts:
                d.add_paragraph(t[1], style="List Number")
        elif kind == "row":
            table = d.add_table(rows=0, cols=len(texts[0]))
            for row in texts:
                for cell, text in zip(table.add_row().cells, row):
                    cell.text = text
        else:
            d.add_paragraph(texts[0])
    d.save(str(path))


def run(*command, cwd=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180)
    if done.returncode:
        sys.exit("%s: %s" % (command[0], done.stdout.decode(errors="replace")[-2000:]))


def write(name, source, out, work):
    page, tex, ps = work / (name + ".html"), work / (name + ".tex"), work / (name + ".ps")
    page.write_text(as_html(source))
    tex.write_text(as_latex(source))
    ps.write_text(as_postscript(source))
    target = lambda producer, ext: out / ("%s.%s.%s" % (name, producer, ext))

    shutil.copy(page, target("page", "html"))
    run("pdflatex", "-interaction=batchmode", "-halt-on-error", tex.name, cwd=work)
    shutil.copy(work / (name + ".pdf"), target("pdftex", "pdf"))
    run("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", "-sOutputFile=%s" % target("ghostscript", "pdf"), ps)
    run("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", "-sOutputFile=%s" % target("ghostscript-pdftex", "pdf"), work / (name + ".pdf"))
    run("weasyprint", page, target("weasyprint", "pdf"))
    run("wkhtmltopdf", "-q", page, target("wkhtmltopdf", "pdf"))
    run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
        "--user-data-dir=%s" % (work / "chromium"), "--print-to-pdf=%s" % target("chromium", "pdf"), page.as_uri())
    for ext in ("docx", "odt"):
        run("pandoc", page, "-o", target("pandoc", ext))
    profile = "-env:UserInstallation=%s" % (work / "office").as_uri()
    run("soffice", profile, "--headless", "--convert-to", "odt:writer8", "--outdir", work, page)
    for ext, form, origin in (("docx", "docx:MS Word 2007 XML", "odt"), ("pdf", "pdf:writer_pdf_Export", "docx")):
        run("soffice", profile, "--headless", "--convert-to", form, "--outdir", work, work / (name + "." + origin))
        shutil.copy(work / (name + "." + ext), target("libreoffice", ext))
    shutil.copy(work / (name + ".odt"), target("libreoffice", "odt"))
    with_cairo(source, target("cairo", "pdf"))
    with_reportlab(source, target("reportlab", "pdf"))
    with_python_docx(source, target("python-docx", "docx"))


if __name__ == "__main__":
    each(sys.argv[1], sys.argv[2], write)
