"""Writes the sources of this folder with fpdf2, xhtml2pdf, PyMuPDF and AbiWord.

Usage: further.py SOURCES OUT, as producers.py, when that is done: AbiWord opens the Word files that LibreOffice wrote. The packages are
those of requirements.txt.
"""

import html
import subprocess
import sys

import fpdf
import pymupdf
import xhtml2pdf.pisa

import texts


def with_fpdf(source, path):
    pdf = fpdf.FPDF(format="letter")
    pdf.set_margin(25)
    pdf.add_page()

    for kind, held in texts.grouped(source):
        heading = {"heading1": 18, "heading2": 14}.get(kind)
        pdf.set_font("Times", "B" if heading else "", heading or 12)
        if kind == "row":
            with pdf.table(width=100, first_row_as_headings=False) as table:
                for cells in held:
                    row = table.row()
                    for cell in cells:
                        row.cell(cell)
        elif kind == "number":
            pdf.write_html("<ol start='%s'>%s</ol>" % (held[0][0], "".join("<li>%s</li>" % html.escape(t) for _, t in held)))
        elif kind == "item":
            pdf.write_html("<ul>%s</ul>" % "".join("<li>%s</li>" % html.escape(t) for t in held))
        else:
            pdf.multi_cell(0, text=held[0], new_x="LMARGIN", new_y="NEXT")
        pdf.ln(4)
    pdf.output(str(path))


def with_xhtml2pdf(source, path):
    with open(path, "wb") as out:
        if xhtml2pdf.pisa.CreatePDF(texts.as_html(source), dest=out).err:
            sys.exit("xhtml2pdf failed")


def with_pymupdf(source, path):
    story, writer = pymupdf.Story(texts.as_html(source)), pymupdf.DocumentWriter(str(path))
    page, more = pymupdf.paper_rect("letter"), 1
    while more:
        device = writer.begin_page(page)
        more, _ = story.place(page + (72, 72, -72, -72))
        story.draw(device)
        writer.end_page()
    writer.close()


def with_abiword(word_file, target):
    for ext in ("odt", "docx", "pdf"):
        subprocess.run(["abiword", "--to=" + ext, "-o", target("abiword", ext), word_file], check=True, timeout=180,
                       stderr=subprocess.DEVNULL)


def write(name, source, out, work):
    def target(producer, ext):
        return out / ("%s.%s.%s" % (name, producer, ext))

    with_fpdf(source, target("fpdf2", "pdf"))
    with_xhtml2pdf(source, target("xhtml2pdf", "pdf"))
    with_pymupdf(source, target("pymupdf", "pdf"))
    with_abiword(target("libreoffice", "docx"), target)


if __name__ == "__main__":
    texts.each(sys.argv[1], sys.argv[2], write)
