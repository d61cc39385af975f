import java.io.FileOutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;
import org.apache.poi.xwpf.usermodel.XWPFDocument;
import org.apache.poi.xwpf.usermodel.XWPFParagraph;
import org.apache.poi.xwpf.usermodel.XWPFTable;
import org.apache.poi.xwpf.usermodel.XWPFTableRow;

/** Writes the texts of folders with Apache POI and PDFBox. Arguments: folders. */
public class Producers {
    public static void main(String[] folders) throws Exception {
        for (String folder : folders) {
            try (var files = Files.newDirectoryStream(Path.of(folder), "*.txt")) {
                for (Path file : files) {
                    String target = file.toString().replaceAll("\\.txt$", "");
                    List<String> lines = Files.readAllLines(file);
                    poi(lines, target + ".poi.docx");
                    pdfbox(lines, target + ".pdfbox.pdf");
                }
            }
        }
    }

    static void poi(List<String> lines, String target) throws Exception {
        try (XWPFDocument doc = new XWPFDocument(); FileOutputStream out = new FileOutputStream(target)) {
            XWPFTable table = null;
            for (String line : lines) {
                if (line.startsWith("| ")) {
                    String[] cells = line.substring(1, line.length() - 1).split("\\|");
                    XWPFTableRow row;
                    if (table == null) {
                        table = doc.createTable(1, cells.length);
                        row = table.getRow(0);
                    } else {
                        row = table.createRow();
                    }
                    for (int i = 0; i < cells.length; i++) {
                        row.getCell(i).setText(cells[i].trim());
                    }
                    continue;
                }
                table = null;
                if (line.isBlank()) {
                    continue;
                }
                XWPFParagraph p = doc.createParagraph();
                boolean heading = line.startsWith("#");
                if (heading) {
                    p.getCTP().addNewPPr().addNewOutlineLvl().setVal(BigInteger.valueOf(line.startsWith("##") ? 1 : 0));
                }
                var run = p.createRun();
                run.setBold(heading);
                run.setText(line.replaceFirst("^#+ ", ""));
            }
            doc.write(out);
        }
    }

    static void pdfbox(List<String> lines, String target) throws Exception {
        try (PDDocument doc = new PDDocument()) {
            List<String> wrapped = new ArrayList<>();
            for (String line : lines) {
                StringBuilder part = new StringBuilder();
                for (String word : line.replaceFirst("^#+ ", "").replace("|", " ").trim().split("\\s+")) {
                    if (part.length() + word.length() > 85) {
                        wrapped.add(part.toString());
                        part.setLength(0);
                    }
                    part.append(part.length() == 0 ? "" : " ").append(word);
                }
                wrapped.add(part.toString());
                wrapped.add("");
            }
            PDType1Font font = new PDType1Font(Standard14Fonts.FontName.TIMES_ROMAN);
            for (int from = 0; from < wrapped.size(); from += 44) {
                PDPage page = new PDPage(PDRectangle.LETTER);
                doc.addPage(page);
                try (PDPageContentStream text = new PDPageContentStream(doc, page)) {
                    text.beginText();
                    text.setFont(font, 12);
                    text.setLeading(15);
                    text.newLineAtOffset(72, 720);
                    for (String line : wrapped.subList(from, Math.min(from + 44, wrapped.size()))) {
                        text.showText(line);
                        text.newLine();
                    }
                    text.endText();
                }
            }
            doc.save(target);
        }
    }
}
