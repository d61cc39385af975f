// Writes the texts of folders with docx from npm. Usage: node docx.mjs FOLDER…
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Document, HeadingLevel, LevelFormat, Packer, Paragraph, Table, TableCell, TableRow, WidthType } from "docx";

const numbering = {
  config: [{ reference: "numbers", levels: [{ level: 0, format: LevelFormat.DECIMAL, text: "%1.", start: 1 }] }],
};

/** The blocks of a text, as Word has them. */
function blocks(text) {
  const out = [];
  let rows = [];
  for (const line of [...text.split("\n"), ""]) {
    if (line.startsWith("| ")) {
      const cells = line.split("|").slice(1, -1).map((c) => c.trim());
      rows.push(new TableRow({ children: cells.map((c) => new TableCell({ children: [new Paragraph(c)] })) }));
      continue;
    }
    if (rows.length) out.push(new Table({ rows, width: { size: 100, type: WidthType.PERCENTAGE } }));
    rows = [];
    if (line.startsWith("## ")) out.push(new Paragraph({ text: line.slice(3), heading: HeadingLevel.HEADING_2 }));
    else if (line.startsWith("# ")) out.push(new Paragraph({ text: line.slice(2), heading: HeadingLevel.HEADING_1 }));
    else if (line.startsWith("- ")) out.push(new Paragraph({ text: line.slice(2), bullet: { level: 0 } }));
    else if (/^\d\. /.test(line))
      out.push(new Paragraph({ text: line.slice(3), numbering: { reference: "numbers", level: 0 } }));
    else if (line) out.push(new Paragraph(line));
  }
  return out;
}

for (const folder of process.argv.slice(2)) {
  for (const file of readdirSync(folder).filter((f) => f.endsWith(".txt"))) {
    const doc = new Document({ numbering, sections: [{ children: blocks(readFileSync(join(folder, file), "utf8")) }] });
    writeFileSync(join(folder, file.replace(".txt", ".docx-npm.docx")), await Packer.toBuffer(doc));
  }
}
