package facts_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// told writes the events of a text, such as "service_complaint 2026-03-02 mail [Party 2]".
func told(text, docType string, supposed bool) string {
	var list []string

	for _, e := range facts.Events(text, facts.Dates(text), docType, supposed) {
		s := e.Name + " " + e.Date.String()
		for _, part := range []string{e.Way, e.Who} {
			if part != "" {
				s += " " + part
			}
		}

		for word, is := range map[string]bool{"about": e.About, "unnamed": e.Unnamed, "abroad": e.Abroad, "ambiguous": e.Date.Ambiguous} {
			if is {
				s += " " + word
			}
		}
		if in := e.In(text); !strings.Contains(in, e.Date.In(text)) {
			s += " outside its span"
		}
		list = append(list, s)
	}

	return strings.Join(list, "; ")
}

func TestEvents(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"a summons", "[Party 2] was served with the summons and complaint on March 2, 2026.", "service_complaint 2026-03-02 [Party 2]"},
		{"in person", "On March 2, 2026, I personally served the Summons and Complaint on Defendant [Party 2] by leaving them with the receptionist.", "service_complaint 2026-03-02 personal [Party 2]"},
		{"by mail", "The complaint was served upon [Company 1] by certified mail on the 2nd day of March, 2026.", "service_complaint 2026-03-02 mail [Company 1]"},
		{"service as a noun", "Service of process on [Party 2] was effected on March 2, 2026.", "service_complaint 2026-03-02 [Party 2]"},
		{"nothing named", "[Party 2] was served on March 2, 2026.", "service_complaint 2026-03-02 [Party 2] unnamed"},
		{"served with it after the date", "Defendant [Party 2] was served on March 2, 2026 with the summons and complaint.", "service_complaint 2026-03-02 [Party 2]"},
		{"a role served, nothing named", "Defendants were personally served on March 2, 2026.", "service_complaint 2026-03-02 personal unnamed"},
		{"with the court", "On March 2, 2026 [Party 1] filed a complaint with the clerk of this Court.", "complaint_filed 2026-03-02"},
		{"a month that is a verb", "On May 4, 2026 [Party 1] served the summons on [Party 2].", "service_complaint 2026-05-04 [Party 2]"},
		{"the United States", "The summons and complaint were served on the United States Attorney on March 2, 2026.", "service_us_attorney 2026-03-02"},
		{"filed and served", "The complaint was filed on March 2, 2026 and served on [Party 2] on March 9, 2026.", "complaint_filed 2026-03-02; service_complaint 2026-03-09 [Party 2]"},
		{"one date for both", "On March 2, 2026, Plaintiff filed the complaint and served it on [Party 2].", "complaint_filed 2026-03-02; service_complaint 2026-03-02 [Party 2]"},
		{"an ambiguous date", "[Party 2] was served with the complaint on 03/04/2026.", "service_complaint 2026-03-04 [Party 2] ambiguous"},
		{"a month only", "[Party 2] was served with the complaint in March 2026.", "service_complaint 2026-03 [Party 2]"},
		{"on or about", "[Party 2] was served with the complaint on or about March 2, 2026.", "service_complaint 2026-03-02 [Party 2] about"},
		{"a stamp of filing", "COMPLAINT\n\nFiled: March 2, 2026\n\nPlaintiff alleges.", "complaint_filed 2026-03-02"},
		{"action commenced", "[Party 1] filed his Complaint in this Court on March 2, 2026.", "complaint_filed 2026-03-02"},
		{"a waiver", "A request to waive service of the summons was sent to [Party 2] on March 2, 2026.", "waiver_request 2026-03-02 [Party 2]"},
		{"a waiver from abroad", "On March 2, 2026 a request for waiver was mailed to [Party 2] outside the United States.", "waiver_request 2026-03-02 mail [Party 2] abroad"},
		{"an answer", "Defendant served its Answer to the Complaint by e-mail on March 2, 2026.", "service_answer 2026-03-02 electronic"},
		{"an answer with a counterclaim", "On March 2, 2026 Defendant served an answer and counterclaim on [Party 1].", "service_answer 2026-03-02 [Party 1]; service_counterclaim 2026-03-02 [Party 1]"},
		{"an amended complaint", "The First Amended Complaint was served electronically on March 2, 2026.", "service_amended 2026-03-02 electronic"},
		{"a motion to dismiss", "On March 2, 2026 [Party 2] served a motion to dismiss the complaint.", "service_motion 2026-03-02"},
		{"its denial", "The Court denied Defendant's motion to dismiss on March 2, 2026.", "motion_denied 2026-03-02"},
		{"its denial, passive", "The motion to dismiss was denied on March 2, 2026.", "motion_denied 2026-03-02"},
		{"an order that denies it", "An order denying the motion to dismiss was entered on March 2, 2026.", "motion_denied 2026-03-02"},
		{"notice of it", "On March 2, 2026 [Party 2] received notice of the denial of the motion to dismiss.", "motion_denied 2026-03-02"},
		{"interrogatories", "Plaintiff served its First Set of Interrogatories on [Party 2] on March 2, 2026 by hand.", "service_interrogatories 2026-03-02 personal [Party 2]"},
		{"three sets at once", "On March 2, 2026 [Party 1] served interrogatories, requests for production and requests for admission by mail.", "service_interrogatories 2026-03-02 mail; service_rfp 2026-03-02 mail; service_rfa 2026-03-02 mail"},
		{"a courier", "The document requests were served by FedEx on March 2, 2026.", "service_rfp 2026-03-02 consented"},
		{"a certificate of service", "PLAINTIFF'S FIRST SET OF INTERROGATORIES\n\nText.\n\nI certify that on March 2, 2026 a copy of the foregoing was served on counsel by first-class mail.", "service_interrogatories 2026-03-02 mail"},
		{"a certificate by the court's system", "ANSWER AND COUNTERCLAIM\n\nText.\n\nOn March 2, 2026 the foregoing was filed through CM/ECF, which notifies all counsel.", "service_answer 2026-03-02 electronic; service_counterclaim 2026-03-02 electronic"},
		{"a certificate that mails", "REQUESTS FOR ADMISSION\n\nText.\n\nOn March 2, 2026 a true copy of the foregoing was mailed to [Party 2].", "service_rfa 2026-03-02 mail [Party 2]"},
		{"a judgment", "Judgment was entered on March 2, 2026.", "judgment_entered 2026-03-02"},
		{"a default judgment", "The clerk entered default judgment against [Party 2] on March 2, 2026.", "judgment_entered 2026-03-02"},
		{"a judgment by itself", "FINAL JUDGMENT\n\nText.\n\nEntered this 2nd day of March, 2026.", "judgment_entered 2026-03-02"},
		{"the entry of a judgment", "The entry of judgment on March 2, 2026 ended the case.", "judgment_entered 2026-03-02"},
		{"removal", "[Party 2] removed this action to this Court on March 2, 2026.", "removal_filed 2026-03-02"},
		{"a notice of removal", "A notice of removal was filed on March 2, 2026.", "removal_filed 2026-03-02"},
		{"a conference", "The parties held their Rule 26(f) conference on March 2, 2026.", "conference_26f 2026-03-02"},
		{"conferred", "Counsel conferred under Rule 26(f) on March 2, 2026.", "conference_26f 2026-03-02"},
		{"a form of proof", "PROOF OF SERVICE\n\nDate of service: March 2, 2026", "service_complaint 2026-03-02 unnamed"},
		{"a form of return", "RETURN OF SERVICE\n\nI served the within on Defendant [Party 2] on March 2, 2026.", "service_complaint 2026-03-02 [Party 2] unnamed"},
		{"a form that names the date", "I personally served the summons on the individual at (place) [Address 1] on (date) March 2, 2026.", "service_complaint 2026-03-02 personal"},
		{"a docket", "SUMMONS Returned Executed by [Party 1]. [Party 2] served on March 2, 2026.", "service_complaint 2026-03-02 [Party 2] unnamed"},
		{"received by", "The complaint was received by [Party 2] on March 2, 2026.", "receipt_complaint 2026-03-02 [Party 2]"},
		{"received", "[Party 2] received a copy of the complaint on March 2, 2026.", "receipt_complaint 2026-03-02 [Party 2]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := told(tc.text, "", false); got != tc.want {
				t.Errorf("%s\ngot  %s\nwant %s", tc.text, got, tc.want)
			}
		})
	}
	if got := told("I served the foregoing by mail on March 2, 2026.", "rfp", false); got != "service_rfp 2026-03-02 mail" {
		t.Errorf("by the type on record: %s", got)
	}
	const asked = "If the complaint was served on March 2, 2026, what follows?"
	if got := told(asked, "", true); got != "service_complaint 2026-03-02" || told(asked, "", false) != "" {
		t.Errorf("supposed: %q, and of a file %q", got, told(asked, "", false))
	}
}

// TestNoEvents has sentences that report none of the events, though they have their words and a date.
func TestNoEvents(t *testing.T) {
	for _, text := range []string{
		"The answer must be served by March 2, 2026.",
		"The complaint shall be served on or before March 2, 2026.",
		"The summons has not been served as of March 2, 2026.",
		"If the complaint is served on March 2, 2026, the answer is due on March 23, 2026.",
		"The parties entered into the lease on March 2, 2026.",
		"Judgment may be entered on March 2, 2026.",
		"[Person 1] served as director from March 2, 2026.",
		"The motion to compel was denied on March 2, 2026.",
		"The motion was denied on March 2, 2026.",
		"[Party 1] filed an amended complaint on March 2, 2026.",
		"[Party 2] filed a motion to dismiss the complaint on March 2, 2026.",
		"[Party 2] filed its answer to the complaint on March 2, 2026.",
		"[Party 2] served responses to the interrogatories on March 2, 2026.",
		"Proof of service of the summons was filed on March 2, 2026.",
		"A notice of deposition was served on March 2, 2026.",
		"The complaint dated March 2, 2026 was served by hand.",
		"The complaint was served for a hearing on March 2, 2026.",
		"[Party 2] removed the furniture on March 2, 2026.",
		"The parties will confer under Rule 26(f) on March 2, 2026.",
		"The parties met on March 2, 2026.",
		"The rent was received on March 2, 2026.",
		"A subpoena was served on [Party 3] on March 2, 2026.",
		"The foregoing was served on March 2, 2026.",
		"This summons for [Party 2] was received by me on March 2, 2026.",
		"The clerk received the complaint on March 2, 2026.",
		"Notice was sent on March 2, 2026.",
		"The decision was served on [Party 2] on March 2, 2026.",
		"Its findings were served on [Party 2] on March 2, 2026.",
		"The hearing served to establish what was owed on March 2, 2026.",
		"On May 1, 2026 (served on May 8, 2026), the board refused to hear the complaint of [Party 1].",
		"[Party 1] filed a complaint with the human resources department on March 2, 2026.",
		"[Party 1] filed a criminal complaint on March 2, 2026.",
		"Having received the observations of both sides, the panel closed the hearing on March 2, 2026.",
	} {
		if got := told(text, "", false); got != "" {
			t.Errorf("%s\ngives %s", text, got)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("The complaint was filed on March 2, 2026 and served on [Party 2] on 03/09/2026.", "complaint")
	f.Add("INTERROGATORIES\n\nOn May 4, 2026 the foregoing was mailed to [Party 2].", "")
	f.Fuzz(func(t *testing.T, text, docType string) {
		for _, e := range facts.Events(text, facts.Dates(text), docType, len(text)%2 == 0) {
			if e.Name == "" || e.Start < 0 || e.End > len(text) || e.Start >= e.End || e.Date.Start < e.Start || e.Date.End > e.End {
				t.Errorf("event %+v of a text of %d bytes", e, len(text))
			}
		}
	})
}
