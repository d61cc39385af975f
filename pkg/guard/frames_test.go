package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// cultures are invented names: in each culture ten given names and ten surnames, of which every given name
// meets two surnames. They are usual ones, and belong to nobody. Among the English ones are words of everyday
// English.
var cultures = []struct{ name, given, surnames string }{
	{
		"English", "John Mary Grace Mark Bill Susan Peter Faith Robert Hope",
		"Smith Baker Young Marsh King Brown Walker Stone Carpenter Bishop",
	},
	{
		"Spanish", "María José Carmen Luis Ángel Rosa Diego Lucía Pedro Elena",
		"García Hernández Rojas Ortega Vidal Castillo Fuentes Ibarra Quintana Peña",
	},
	{
		"French", "Jean Amélie Luc Chloé René Camille Thierry Odile Benoît Solène",
		"Dubois Lefèvre Moreau Girard Fontaine Marchand Lemoine Chevalier Rousseau Petit",
	},
	{
		"German", "Jürgen Heike Klaus Sabine Uwe Anke Dieter Ilse Wolfgang Renate",
		"Müller Schäfer Vogel Krüger Hartmann Zimmermann Lange Koch Brandt Weiß",
	},
	{
		"Italian", "Giulia Marco Chiara Paolo Alessandra Luca Francesca Enzo Bianca Matteo",
		"Rossi Ferrari Conti Ricci Marino Greco Lombardi Moretti Barbieri Fontana",
	},
	{
		"Polish", "Agnieszka Piotr Katarzyna Tomasz Małgorzata Krzysztof Zofia Wojciech Ewa Marek",
		"Kowalska Nowak Wiśniewski Wójcik Zieliński Szymańska Dąbrowski Jankowska Mazur Wrona",
	},
	{
		"Russian", "Dmitri Olga Sergei Natalia Yuri Svetlana Alexei Irina Boris Tatiana",
		"Ivanov Petrova Volkov Sokolova Morozov Lebedeva Kuznetsov Orlova Belov Zaitseva",
	},
	{
		"Arabic", "Mohammed Fatima Ahmed Layla Youssef Aisha Khalid Noor Tariq Salma",
		"Haddad Mansour Khoury Nasser Farouk Darwish Saleh Hamdan Aziz Rahman",
	},
	{
		"Indian", "Rajesh Priya Amit Sunita Vikram Anjali Suresh Deepa Arjun Lakshmi",
		"Sharma Patel Iyer Banerjee Reddy Chaudhary Nair Kapoor Deshmukh Rao",
	},
	{
		"Chinese", "Wei Xiaoming Li Jing Hao Meiling Jun Yan Zhiyuan Fang",
		"Zhang Wang Chen Liu Zhao Huang Zhou Wu Xu Sun",
	},
	{
		"Nigerian", "Chinedu Ngozi Oluwaseun Adaeze Emeka Funmilayo Ifeanyi Yewande Obinna Temitope",
		"Okafor Adebayo Nwosu Ogunleye Eze Balogun Okonkwo Adeyemi Igwe Ojo",
	},
	{
		"Turkish", "Mehmet Ayşe Mustafa Elif Hüseyin Zeynep Emre Fatma Burak Selin",
		"Yılmaz Demir Kaya Çelik Şahin Öztürk Arslan Doğan Kılıç Aydın",
	},
}

// fullNames returns twenty full names of each culture.
func fullNames() map[string][]string {
	all := map[string][]string{}

	for _, c := range cultures {
		given, surnames := strings.Fields(c.given), strings.Fields(c.surnames)
		for i, g := range given {
			all[c.name] = append(all[c.name], g+" "+surnames[i], g+" "+surnames[(i+3)%len(surnames)])
		}
	}

	return all
}

// frames are texts in which a full name stands where %s does; one ending in ^ has the name in capitals.
var frames = []string{
	"%s Employment Agreement",
	"What happened in the case of %s?",
	"Report of %s",
	"Office Manager %s opened the letter.",
	"School Principal %s denied it.",
	"The letter was written by %s on Monday.",
	"Deposition of %s, Volume 2",
	"%s Court Order",
	"Summarize the %s file for the hearing.",
	"Motion to Compel %s Bank Records",
	"Witness: %s",
	"PLAINTIFF: %s^",
	"IN THE MATTER OF %s, DECEASED^",
	"This Lease Agreement is made between %s and [Party 2].",
	"Interview with %s at the Police Station",
	"Case %s",
	"%s University Transcript",
	"The Board hired %s as Director of the Foundation.",
	"IN WITNESS WHEREOF, %s HAS EXECUTED THIS AGREEMENT^",
	"%s Estate Inventory",
}

var doors = []guard.Channel{guard.Title, guard.FileName, guard.Prompt, guard.Query, guard.Event, guard.FileText}

// framed puts a name into a frame.
func framed(frame, name string) string {
	if f, ok := strings.CutSuffix(frame, "^"); ok {
		return fmt.Sprintf(f, strings.ToUpper(name))
	}

	return fmt.Sprintf(frame, name)
}

// TestFullNamesAreRefusedInEveryFrame judges each name in each frame at each door. A name is refused when a
// finding touches it.
func TestFullNamesAreRefusedInEveryFrame(t *testing.T) {
	y := tally{}

	for culture, names := range fullNames() {
		for _, frame := range frames {
			for _, name := range names {
				text := framed(frame, name)
				start := strings.Index(frame, "%s")
				place := span{Start: start, End: start + len(text) - len(strings.TrimSuffix(frame, "^")) + len("%s")}

				for _, door := range doors {
					hit := place.touched(guard.New().Check(t.Context(), door, text))
					y.count(hit, "all", frame, "door "+door.String(), "culture "+culture)
					if !hit && door == guard.FileText {
						t.Logf("passed: %s", text)
					}
				}
			}
		}
	}
	y.report(t, "frames")
}
