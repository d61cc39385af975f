package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// What stands before a published decision is no party of it, unless it touches the name of the case.
func TestNamesBesideACitationAreFound(t *testing.T) {
	const roe = "Roe v. Wade, 410 U.S. 113 (1973)"

	for text, want := range map[string]string{
		"Thaddeus Wexmoor signed the new lease. " + roe:                            `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor signed the new lease. Roe v. Wade, 2021 WL 123456":       `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor signed the new lease. Roe v Wade [2019] UKSC 12":         `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor " + roe:                                                  `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor Roe v Wade [2019] UKSC 12":                               `person="Thaddeus Wexmoor"`,
		"Maria Elena Delgado Roe v. Wade":                                          `person="Maria Elena Delgado"`,
		"Wexmoor [2019] UKSC 12":                                                   `person="Wexmoor"`,
		"Thaddeus Wexmoor signed the new lease. Roe v. Wade, 12 Cal. App. 4th 100": `person="Thaddeus Wexmoor"`,
		"Wang Xiuying left. R. v. Jordan, [2016] 1 S.C.R. 631":                     `person="Wang Xiuying"`,
		"Siobhan Gallacher called. Donoghue v Stevenson [1932] AC 562":             `person="Siobhan Gallacher"`,
		"Yusuf al-Harbi paid. Mabo v Queensland (No 2) (1992) 175 CLR 1":           `person="Yusuf al-Harbi"`,
		"Met Przemysław Dąbrowski. R v Brown [1994] 1 AC 212":                      `person="Przemysław Dąbrowski"`,
		"Akosua Mensah-Boateng agreed. Handyside v. United Kingdom":                `person="Akosua Mensah-Boateng"`,
		"Tenant Fiadh Ní Bhraonáin signed. The Queen v. Dudley, [2019] UKSC 12":    `person="Fiadh Ní Bhraonáin"`,
		"We act for Nguyen Thi Lan.\n" + roe:                                       `person="Nguyen Thi Lan"`,
		"Xochitl Ibarra Quezada\n\nSee " + roe:                                     `person="Xochitl Ibarra Quezada"`,
		"Ngozi Okonkwo-Bright\n" + roe:                                             `person="Ngozi Okonkwo-Bright"`,
		"CLIENT: THADDEUS WEXMOOR\n\nAuthorities: " + roe:                          `person="THADDEUS WEXMOOR"`,
		"Wexmoor, Thaddeus\nDelgado, Maria\nGruber, Hans\n\n" + roe:                `person="Wexmoor, Thaddeus" person="Delgado, Maria\nGruber, Hans"`,
		"Thaddeus Wexmoor\nRoe v Wade [2019] UKSC 12":                              `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor\nRoe, 410 U.S. at 120":                                   `person="Thaddeus Wexmoor"`,
		"| Thaddeus Wexmoor | " + roe + " |":                                       `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor\t" + roe:                                                 `person="Thaddeus Wexmoor"`,
		"Client,Note\nThaddeus Wexmoor,\"" + roe + "\"":                            `person="Thaddeus Wexmoor"`,
		`{"client":"Thaddeus Wexmoor","cites":"` + roe + `"}`:                      `person="Thaddeus Wexmoor"`,
		"- Thaddeus Wexmoor\n- " + roe:                                             `person="Thaddeus Wexmoor"`,
		"1. Thaddeus Wexmoor\n2. " + roe:                                           `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor: " + roe:                                                 `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor,Roe v. Wade, 410 U.S. 113":                               `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor... " + roe:                                               `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor     " + roe:                                              `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor\f" + roe:                                                 `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor; " + roe:                                                 `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor (" + roe + ")":                                           `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor—" + roe:                                                  `person="Thaddeus Wexmoor"`,
		"Thaddeus Wexmoor, Maria Delgado, " + roe:                                  `person="Thaddeus Wexmoor" person="Maria Delgado"`,
		"Thaddeus Wexmoor relies on " + roe:                                        `person="Thaddeus Wexmoor"`,
		"Memo from Thaddeus Wexmoor on " + roe:                                     `person="Thaddeus Wexmoor"`,
		"Roe v. Wade, my client is Thaddeus Wexmoor, 410 U.S. 113":                 `person="Thaddeus Wexmoor"`,
		"Estate of Thaddeus Wexmoor. " + roe:                                       `person="Thaddeus Wexmoor"`,
		"Wexmoor Holdings LLC signed. See " + roe:                                  `org="Wexmoor Holdings LLC"`,
		"Wexmoor Holdings LLC\n" + roe:                                             `org="Wexmoor Holdings LLC"`,
		"We represent Wexmoor Holdings Inc. " + roe:                                `org="Wexmoor Holdings Inc."`,
		"Quellmark GmbH paid. Rylands v Fletcher [2019] UKSC 12":                   `org="Quellmark GmbH"`,
		roe + ". Wexmoor Holdings LLC won.":                                        `org="Wexmoor Holdings LLC"`,
		"Wexmoor Holdings LLC won. Marbury v. Madison":                             `org="Wexmoor Holdings LLC"`,
	} {
		for _, door := range []guard.Channel{guard.Title, guard.FileName, guard.FileText, guard.Prompt, guard.Query} {
			if got := found(t, door, text); got != want {
				t.Errorf("%s: %s: found %s, want %s", door, text, got, want)
			}
		}
	}
}

func TestNamesOfCitedCasesPass(t *testing.T) {
	for _, text := range []string{
		"As held in Quirinson v. Vexmoor, 410 U.S. 113, 120 (1973), it is so.",
		"See Quirinson v.\nVexmoor, 410 U.S. 113 (1973).",
		"Quirinson\nv. Vexmoor, 410 U.S. 113 (1973)",
		"See Hively v. Ivy Tech Cmty. Coll. of\nInd., 853 F.3d 339 (7th Cir. 2017).",
		"Quirinson\nHoldings LLC v. Vexmoor Ltd., 569 U.S. 108 (2013)",
		"In re Quirinson Corp. Sec. Litig., 235 F. Supp. 2d 549 (S.D. Tex. 2002)",
		"In re\nQuirinson, 235 F. Supp. 2d 549 (S.D. Tex. 2002)",
		"In re Marriage of Quirinson (1992) 12 Cal. App. 4th 100",
		"Ex parte Quirinson, 209 U.S. 123 (1908)",
		"Matter of Quirinson, 12 N.Y.2d 100 (1962)",
		"Estate of Quirinson v. Vexmoor, 12 F.3d 100 (2d Cir. 1993)",
		"United States ex rel. Quirinson v. Vexmoor, 342 U.S. 1 (1951)",
		"Quirinson on behalf of Vexmoor v. Holzmann, 547 U.S. 71 (2006)",
		"Quirinson & Co. v. Vexmoor, Inc., 342 U.S. 1 (1951)",
		"Merrill Lynch, Pierce, Fenner & Quirinson, Inc. v. Vexmoor, 547 U.S. 71 (2006)",
		"Quirinson Kulzer, GmbH v. Vexmoor Bros., LLC, 633 F.3d 591 (7th Cir. 2011)",
		"Quirinson Nursing Ctrs. Ltd. P'ship v. Vexmoor, 581 U.S. 246 (2017)",
		"Quirinson, Warden v. Vexmoor, 547 U.S. 71 (2006)",
		"It held so. Quirinson, 410 U.S. at 120; Liberty Vexmoor, 477 U.S. at 248.",
		"Joost van der Quirinson v. Holzmann, 547 U.S. 71 (2006)",
		"R (on the application of Quirinson) v Secretary of State for the Home Department [2019] UKSC 12",
		"In Smith v Quirinson [2019] UKSC 12 it was held. Quirinson [2019] UKSC 12 is followed.",
		"Re Quirinson [2019] EWHC 12 (Ch); The Quirinson [2008] UKHL 48; R (Quirinson) v Minister [2011] UKSC 1",
		"Quirinson v. Vexmoor, 410 U.S. 113 (1973); then Quirinson, 410 U.S. 113.",
		"ex p Quirinson [1995] 1 WLR 1037",
		"Quirinson and another v Vexmoor plc [2019] UKSC 12",
		"Quirinson 1954 v Vexmoor AG [2021] UKSC 51",
		"Quirinson and 38 Others v. Sweden, Varga, Vexmoor and Delgado v. Hungary",
		"R. v. Quirinson, [2016] 1 S.C.R. 631",
		"This was before Quirinson was decided. Quirinson v. Vexmoor, 410 U.S. 113 (1973).",
	} {
		if got := found(t, guard.FileText, text); got != "" {
			t.Errorf("%s: found %s, want nothing", text, got)
		}
	}
}
