import com.itextpdf.kernel.pdf.PdfDocument;
import com.itextpdf.kernel.pdf.PdfWriter;
import com.itextpdf.layout.Document;
import com.itextpdf.layout.element.Paragraph;
import com.itextpdf.layout.element.Table;
import com.itextpdf.layout.element.List;
import com.itextpdf.layout.element.ListItem;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.docx4j.model.table.TblFactory;
import org.docx4j.openpackaging.packages.WordprocessingMLPackage;
import org.docx4j.openpackaging.parts.WordprocessingML.MainDocumentPart;
import org.docx4j.wml.Tbl;
import org.docx4j.wml.Tc;
import org.docx4j.wml.Tr;

/** Writes the texts of folders with iText and docx4j. Arguments: folders. */
public class Further {
    public static void main(String[] folders) throws Exception {
        for (String folder : folders) {
            try (var files = Files.newDirectoryStream(Path.of(folder), "*.txt")) {
                for (Path file : files) {
                    String target = file.toString().replaceAll("\\.txt$", "");
                    java.util.List<String> lines = Files.readAllLines(file);
                    itext(lines, target + ".itext.pdf");
                    docx4j(lines, target + ".docx4j.docx");
                }
            }
        }
    }

    static String[] cells(String line) {
        return line.substring(1, line.length() - 1).split("\\|");
    }

    static void itext(java.util.List<String> lines, String target) throws Exception {
        try (Document doc = new Document(new PdfDocument(new PdfWriter(target)))) {
            Table table = null;
            List list = null;
            for (String line : lines) {
                boolean row = line.startsWith("| "), item = line.startsWith("- ");
                if (table != null && !row) {
                    doc.add(table);
                    table = null;
                }
                if (list != null && !item) {
                    doc.add(list);
                    list = null;
                }
                if (row) {
                    table = table == null ? new Table(cells(line).length) : table;
                    for (String cell : cells(line)) {
                        table.addCell(cell.trim());
                    }
                } else if (item) {
                    list = list == null ? new List() : list;
                    list.add(new ListItem(line.substring(2)));
                } else if (line.startsWith("#")) {
                    doc.add(new Paragraph(line.replaceFirst("^#+ ", "")).setFontSize(line.startsWith("##") ? 15 : 19));
                } else if (!line.isBlank()) {
                    doc.add(new Paragraph(line));
                }
            }
            if (table != null) {
                doc.add(table);
            }
            if (list != null) {
                doc.add(list);
            }
        }
    }

    static void docx4j(java.util.List<String> lines, String target) throws Exception {
        WordprocessingMLPackage file = WordprocessingMLPackage.createPackage();
        MainDocumentPart body = file.getMainDocumentPart();
        Tbl table = null;
        for (String line : lines) {
            if (line.startsWith("| ")) {
                String[] cells = cells(line);
                Tbl one = TblFactory.createTable(1, cells.length, 4000);
                Tr row = (Tr) one.getContent().get(0);
                for (int i = 0; i < cells.length; i++) {
                    Tc cell = (Tc) row.getContent().get(i);
                    cell.getContent().clear();
                    cell.getContent().add(body.createParagraphOfText(cells[i].trim()));
                }
                if (table == null) {
                    table = one;
                    body.addObject(table);
                } else {
                    table.getContent().add(row);
                }
                continue;
            }
            table = null;
            if (line.startsWith("#")) {
                body.addStyledParagraphOfText(line.startsWith("##") ? "Heading2" : "Heading1", line.replaceFirst("^#+ ", ""));
            } else if (!line.isBlank()) {
                body.addParagraphOfText(line);
            }
        }
        file.save(new File(target));
    }
}
