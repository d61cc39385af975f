package facts_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// TestStandings reads what a day is for: due, hearing, listed, or none when something was done on it.
func TestStandings(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		// an order behind a recital
		{"Upon the application of [Party 1], the hearing is adjourned to May 4, 2027.", "hearing"},
		{"Upon hearing counsel, [Party 2] shall file an answer by May 4, 2027.", "due"},
		{"Having heard the parties, the court sets trial for May 4, 2027 at 9:30 a.m.", "hearing"},
		{"Upon reading the papers, it is ordered that [Party 2] answer no later than May 4, 2027.", "due"},
		{"Upon reading the papers it is ordered that [Party 2] answer no later than May 4, 2027.", "due"},
		{"Upon considering the motion, the time to reply is enlarged to May 4, 2027.", "due"},
		{"Upon hearing counsel, on May 4, 2027 [Party 2] shall pay $500.", "listed"},
		{"After hearing counsel, trial will begin on May 4, 2027.", "hearing"},
		{"After hearing the parties the court fixed May 4, 2027 for trial.", "hearing"},
		{"Upon hearing counsel the case is set down for trial on May 4, 2027.", "hearing"},
		{"Vu la requête, l'audience est fixée au 4 mai 2027 à 9h30.", "hearing"},
		{"Upon reading the affidavit sworn on May 4, 2027, it is ordered that the motion is denied.", "none"},
		{"Upon hearing argument on May 4, 2027, it is ordered that the motion is denied.", "none"},
		{"After a hearing on May 4, 2027, the motion was denied.", "none"},

		// a day that was moved or fixed
		{"The time to answer was shortened to May 4, 2027.", "due"},
		{"The deadline to answer was shortened to May 4, 2027.", "due"},
		{"The trial date was agreed to be May 4, 2027.", "hearing"},
		{"The hearing was confirmed for May 4, 2027.", "hearing"},
		{"The conference was reassigned to May 4, 2027.", "hearing"},
		{"The trial date has been changed to Tuesday, May 4, 2027.", "hearing"},
		{"The mediation was rebooked for 9:30 a.m. on May 4, 2027.", "hearing"},
		{"The time to reply was lengthened to May 4, 2027.", "listed"},
		{"The matter was transferred to the calendar of May 4, 2027.", "listed"},
		{"The motion was made returnable on May 4, 2027.", "hearing"},
		{"Under the order of the court, the hearing is adjourned to May 4, 2027.", "hearing"},
		{"Die Frist zur Stellungnahme wurde bis zum 4. Mai 2027 verlängert.", "due"},
		{"Die Verhandlung wurde auf den 4. Mai 2027 verlegt.", "hearing"},
		{"L'audience a été fixée au 4 mai 2027.", "hearing"},
		{"L'affaire a été renvoyée à l'audience du 4 mai 2027.", "hearing"},
		{"L'affaire a été plaidée à l'audience du 4 mai 2027.", "none"},
		{"La audiencia fue señalada para el 4 de mayo de 2027.", "hearing"},
		{"[Party 2] was granted an extension to May 4, 2027.", "listed"},
		{"The hearing date was selected as May 4, 2027.", "hearing"},
		{"The parties were informed that the hearing is on May 4, 2027.", "hearing"},
		{"The parties were offered May 4, 2027 for the hearing.", "hearing"},
		{"Hearing on the motion filed by [Party 1]: May 4, 2027", "hearing"},
		{"Complaint filed: May 4, 2027", "none"},
		{"The claim was presented on May 4, 2027.", "none"},
		{"The door was recently repaired on May 4, 2027.", "none"},
		{"The claim was presented to the board on May 4, 2027.", "none"},
		{"The case was assigned to [Person 1] on May 4, 2027.", "none"},
		{"The work was agreed to start on May 4, 2027.", "listed"},
		{"The claim was admitted for review on May 4, 2027.", "listed"},
		{"The deadline to answer was shortened from May 10, 2027 to May 4, 2027.", "due moved"},
		// a day in whose place another one has come
		{"The time for the reply, formerly May 3, 2027, is extended to May 10, 2027.", "due moved"},
		{"Discovery, which was to close on May 3, 2027, now closes on May 10, 2027.", "due moved"},
		{"The trial is hereby continued from May 3, 2027 to May 10, 2027.", "hearing moved"},
		{"The hearing will be held on May 10, 2027 in lieu of May 3, 2027.", "hearing moved"},
		{"The answer is due on May 10, 2027 instead of May 3, 2027.", "due moved"},
		{"The May 3, 2027 deadline for expert reports is vacated.", "moved"},
		{"The deadline of May 3, 2027 no longer applies.", "moved"},
		{"The mediation set for May 3, 2027 at 2:00 p.m. is taken off calendar.", "moved"},
		{"Disclosures, due May 3, 2027 under the prior order, are due May 10, 2027.", "due moved"},
		{"The hearing previously set for May 3, 2027 shall be held on May 10, 2027.", "hearing moved"},
		{"Die Verhandlung findet am 10. Mai 2027 statt am 3. Mai 2027 statt.", "hearing moved"},

		{"The stipulation to extend the deadline from May 3, 2027 until May 10, 2027 is granted.", "due moved"},

		// a day that stands, though words of another day's move are near
		{"The hearing previously set for May 3, 2027 remains as scheduled.", "hearing"},
		{"The hearing set for May 3, 2027 is not vacated.", "hearing"},
		{"The hearing set for May 3, 2027 is moved to 2:00 p.m.", "hearing"},
		{"The conference set for May 3, 2027 is converted to a telephone conference at 2:00 p.m.", "hearing"},
		{"The answer is due May 3, 2027. The hearing is vacated.", "due"},
		{"The hearing will be held on May 3, 2027 at 2:00 p.m. The trial date is vacated.", "hearing"},
		{"The deadline of May 3, 2027 may be extended by agreement.", "due"},

		{"The bond must be posted by May 3, 2027 or the injunction is lifted.", "due"},
		{"Payment must be made by May 3, 2027 or the offer is withdrawn.", "due"},
		{"The parties shall mediate by May 3, 2027, and discovery is stayed.", "due"},
		{"The parties shall mediate by May 3, 2027; discovery is stayed.", "due"},
		{"The defendant shall answer by May 3, 2027, and the default is vacated.", "due"},
		{"The answer is due May 3, 2027 and no date is extended.", "due"},
		{"The hearing set for May 3, 2027 in Courtroom 4 is vacated.", "moved"},
		{"Trial is now set for May 3, 2027 and will last until May 7, 2027.", "hearing due"},
		{"The hearing is currently scheduled for May 3, 2027 and briefs are due April 4, 2027.", "hearing due"},
		{"The closing is now scheduled for May 3, 2027, and the buyer shall pay by April 9, 2027.", "hearing due"},
		{"The hearing originally set for May 3, 2027 and now set for May 10, 2027 is public.", "hearing moved"},

		// a period that a report promises, grants or orders, and one that only tells
		{"[Party 2] agreed to vacate the premises 30 days after May 3, 2027.", "due"},
		{"[Party 2] promised to pay the rent within 30 days after May 3, 2027.", "due"},
		{"[Party 2] covenanted to repay the loan within 30 days after May 3, 2027.", "due"},
		{"The Court granted [Party 2] 21 days from May 3, 2027 to answer.", "due"},
		{"[Party 2] was given 14 days from May 3, 2027 to cure.", "due"},
		{"[Party 2] was ordered to produce the books within 10 days of May 3, 2027.", "due"},
		{"The parties were directed to confer within 10 days of May 3, 2027.", "due"},
		{"The time to answer was extended to 14 days after May 3, 2027.", "due"},
		{"You were notified to cure within 10 days of May 3, 2027.", "due"},
		{"The parties stipulated that [Party 2] vacates 30 days after May 3, 2027.", "due"},
		{"Three days after the hearing of May 3, 2027 [Party 4] moved out.", "none"},

		// what is yet to be done, and who was given a last day
		{"The keys shall be personally handed to the tenant on May 4, 2027.", "due"},
		{"The keys are to be promptly handed to the tenant on May 4, 2027.", "due"},
		{"The notice shall be signed and handed to the tenant on May 4, 2027.", "due"},
		{"The answer must have reached the clerk by May 4, 2027.", "due"},
		{"The answer must have arrived at the clerk's office no later than May 4, 2027.", "due"},
		{"The tenants were given May 4, 2027 as the last day to respond.", "listed"},
		{"Notice was given to the tenants of May 4, 2027 as the last day to respond.", "listed"},
		{"The keys were personally handed to the tenant on May 4, 2027.", "none"},
		{"Notice was given to the tenant on May 4, 2027.", "none"},

		// what was to have been done, and a plain report of the same words
		{"The bundle is to have been lodged on May 4, 2027.", "due"},
		{"The bundle ought to have been lodged on May 4, 2027.", "due"},
		{"The bundle has to have been lodged on May 4, 2027.", "due"},
		{"The bundle was to have been lodged on May 4, 2027.", "due"},
		{"The lists are required to have been exchanged on May 4, 2027.", "due"},
		{"The expert reports were to have been exchanged on May 4, 2027.", "due"},
		{"It was ordered that skeleton arguments were lodged on May 4, 2027.", "due"},
		{"It was ordered that skeleton arguments were lodged on May 4, 2027 at 4:00 p.m.", "due"},
		{"The court required that the lists were exchanged on May 4, 2027.", "due"},
		{"[Party 1] is directed to ensure that the bundle has been lodged on May 4, 2027.", "due"},
		{"The bundle shall, together with the list of all of the authorities, have been lodged on May 4, 2027.", "due"},
		{"The bundle shall, together with the list of all of the authorities, have reached the court by May 4, 2027.", "due"},
		{"The reply must have been filed on May 4, 2027.", "due"},
		{"The reply is to have been served on May 4, 2027.", "due"},
		{"The reply ought to have been filed on May 4, 2027.", "due"},
		{"The replies are required to have been delivered on May 4, 2027.", "due"},
		{"The reply shall, together with the list of all of the authorities, have been filed on May 4, 2027.", "due"},
		{"The reply has been filed on May 4, 2027.", "none"},
		{"The replies have been served on May 4, 2027.", "none"},
		{"The parties agreed that the lists were exchanged on May 4, 2027.", "due"},
		{"Unless the bundle has been lodged on May 4, 2027, the claim is struck out.", "due"},
		{"The claim is struck out unless the bundle was lodged on May 4, 2027.", "due"},
		{"If the lists were exchanged on May 4, 2027, no hearing is held.", "due"},
		{"The bundle was lodged on May 4, 2027, failing which the claim is struck out.", "due"},
		{"The bundle was lodged on May 4, 2027.", "none"},
		{"The lists were exchanged on May 4, 2027.", "none"},
		{"The bundle had been lodged on May 4, 2027.", "none"},

		// a German participle that is not that of the day
		{"Der Beklagte hat bis zum 4. Mai 2027 den Betrag, wie vereinbart, zu zahlen.", "due"},
		{"Der Beklagte hat bis zum 4. Mai 2027 auf die Klage, die zugestellt ist, zu erwidern.", "due"},
		{"Der Beklagte hat am 4. Mai 2027 die Belege, wie vereinbart, vorzulegen.", "due"},
		{"Der Beklagte hat spätestens am 4. Mai 2027 den erklärt hohen Betrag zu zahlen.", "due"},
		{"Der Verkäufer hat dafür zu sorgen, dass die Ware am 4. Mai 2027 geliefert wird.", "due"},
		{"Der Termin ist für den 4. Mai 2027 vereinbart.", "hearing"},
		{"Die Klage ist am 28. August 2026 eingegangen.", "none"},
		{"Die Klage ist am 3. Mai 2027, einem Montag, eingegangen.", "none"},
		{"Der Beklagte hat die Klage, die am 3. Mai 2027 zugestellt wurde, gelesen.", "none"},
		// the first and the last day of what lasts for a term
		{"This lease begins on January 1, 2026 and ends on December 31, 2026.", "due listed"},
		{"The term of this lease shall commence on May 1, 2027 and shall expire on April 30, 2028.", "due listed"},
		{"The term of this Agreement is from March 1, 2027 to February 28, 2028.", "due listed"},
		{"This Agreement shall become effective on May 1, 2027.", "listed"},
		{"This Agreement is effective as of May 1, 2027 and remains in force until April 30, 2028.", "due listed"},
		{"The insurance policy runs from June 1, 2027 through May 31, 2028.", "due listed"},
		{"This license terminates on May 4, 2027.", "due"},
		{"The offer is valid until May 4, 2027.", "due"},
		{"The subscription will automatically renew on May 4, 2027.", "listed"},
		{"The employment of [Person 1] starts on May 4, 2027.", "listed"},
		{"The Contractor shall commence the work on May 4, 2027.", "due"},
		{"Trial begins on May 4, 2027.", "hearing"},
		{
			"The initial term of two years, beginning May 1, 2027 and ending April 30, 2029, may be renewed.",
			"due listed",
		},
		{"Dieser Vertrag beginnt am 1. Mai 2027 und endet am 30. April 2028.", "due listed"},
		{"Das Mietverhältnis beginnt am 1. Mai 2027.", "listed"},
		{"Der Vertrag läuft vom 1. Mai 2027 bis zum 30. April 2028.", "due listed"},
		{"Diese Vereinbarung tritt am 1. Mai 2027 in Kraft.", "listed"},
		{"Die Probezeit endet am 31. Oktober 2027.", "due"},
		{"Der Vertrag läuft am 30. April 2028 aus.", "due"},
		{"Der Mieter hat die Kaution bis zum 1. Mai 2027 zu zahlen.", "due"},
		{"Die Laufzeit ist bis zum 30. April 2028 befristet.", "due"},
		{"The tenancy commences on 1 May 2027 and continues for a fixed term ending on 30 April 2028.", "due listed"},
		{"The Term shall begin on May 1, 2027 (the \"Commencement Date\") and end on April 30, 2030.", "due listed"},
		{"This Agreement takes effect on May 1, 2027.", "listed"},
		{"The guarantee expires on May 4, 2027.", "due"},
		{"The permit shall remain in effect through May 4, 2027.", "due"},
		{"Coverage starts on May 1, 2027 at 12:01 a.m. and ends on May 1, 2028 at 12:01 a.m.", "due listed"},
		{"The lease term, commencing May 1, 2027, and expiring April 30, 2032, includes two options.", "due listed"},
		{"The Executive's employment with the Company shall terminate on May 4, 2027.", "due"},
		{"The warranty period begins on May 1, 2027.", "listed"},
		{"Jury trial commences on May 4, 2027.", "hearing"},
		{"The Tenant shall start paying rent on May 4, 2027.", "due"},
		{"The option may be exercised from May 1, 2027 until May 31, 2027.", "due listed"},
		{"Das Arbeitsverhältnis beginnt am 1. Mai 2027 und ist bis zum 30. April 2028 befristet.", "due listed"},
		{"Der Vertrag tritt mit Wirkung zum 1. Mai 2027 in Kraft.", "listed"},
		{"Die Vertragslaufzeit beginnt mit dem 1. Mai 2027 und endet mit Ablauf des 30. April 2029.", "due listed"},
		{"Das Angebot ist bis zum 4. Mai 2027 gültig.", "due"},
		{"Die Versicherung läuft ab dem 1. Mai 2027.", "listed"},
		{"Die Gewährleistung läuft am 4. Mai 2027 ab.", "due"},
		{"Der Mietvertrag endet zum 4. Mai 2027, ohne dass es einer Kündigung bedarf.", "due"},
		{"Die Übergabe der Wohnung erfolgt am 1. Mai 2027.", "listed"},
		{"The agreement was effective as of May 4, 2027.", "none"},
		{"This Agreement is made effective as of May 4, 2027 by [Party 1].", "none"},
		{"The lease between [Party 1] and [Party 2] dated May 4, 2027 is assigned.", "none"},
		{"Under this lease the tenant shall begin construction on May 4, 2027.", "due"},
		{"The lease expired on May 4, 2027.", "listed"},
		{"[Party 1] worked from May 4, 2026 to May 4, 2027.", "listed listed"},
		{"Trial is set from May 4, 2027 to May 7, 2027.", "hearing hearing"},
		{"The hearing begins on May 4, 2027.", "hearing"},
		{"Jury selection will commence on May 4, 2027.", "hearing"},
		{"Discovery ends on May 4, 2027.", "due"},
		{"The stay ends on May 4, 2027.", "due"},
		{"The contract was signed on May 4, 2027 and begins on June 1, 2027.", "listed"},

		// what begins under a contract, and what only begins
		{"Payments under this agreement begin on May 4, 2027.", "due"},
		{"Payments under this agreement shall begin on May 4, 2027.", "due"},
		{"Payment of the loan begins on May 4, 2027.", "due"},
		{"Performance of the contract must commence on May 4, 2027.", "due"},
		{"The term of this lease begins on May 4, 2027.", "listed"},
		{"Construction under the contract will start on May 4, 2027.", "due"},
		{"The tenant shall surrender the premises when the lease ends on May 4, 2027.", "due"},
		{"School begins on May 4, 2027.", "listed"},
		{"The evidentiary phase begins on May 4, 2027 at 9:00 a.m.", "hearing"},
		{"Day one of the fast track starts on May 4, 2027.", "listed"},
		{"The trial on the contract claim begins on May 4, 2027.", "hearing"},
		{"The arbitration under this Agreement shall commence on May 4, 2027.", "hearing"},
		{"The deposition of the insurer begins on May 4, 2027.", "hearing"},
		{"Discovery under the plan starts on May 4, 2027.", "listed"},
		{"The answer period begins on May 4, 2027.", "listed"},
		{"Briefs shall be filed from May 4, 2027 to May 11, 2027.", "due due"},
		{"The parties shall be available for mediation from May 4, 2027 to May 11, 2027.", "hearing hearing"},
		{"The deadline is extended from May 4, 2027 to May 11, 2027.", "due moved"},
		{"The stay remains in effect from May 4, 2027 until May 11, 2027.", "due listed"},
		{"The policy was in force from May 4, 2027 to May 11, 2027.", "listed listed"},
		{"Der Mieter hat vom 4. Mai 2027 bis zum 11. Mai 2027 Zutritt zu gewähren.", "due due"},
		{"Die Zahlung der Raten beginnt am 4. Mai 2027.", "listed"},
		{"Der Vertrag wurde am 4. Mai 2027 unterzeichnet.", "none"},
		{"Die Frist zur Klageerwiderung beginnt am 4. Mai 2027 und endet am 25. Mai 2027.", "due listed"},
		{"Die Verhandlung beginnt am 4. Mai 2027 um 9 Uhr.", "hearing"},
		{"If the option is not exercised by May 4, 2027, it expires.", "due"},
		{"The offer of settlement expires on May 4, 2027.", "due"},
		{"The injunction expires on May 4, 2027.", "due"},
		{"The agreement terminated on May 4, 2027.", "listed"},
		{"Notice of termination effective May 4, 2027 was given.", "listed"},
		{"The resignation is effective May 4, 2027.", "listed"},
		{"The rule takes effect on May 4, 2027.", "listed"},
		{"Effective May 4, 2027, all filings must be made electronically.", "listed"},

		// what a condition or an order holds, and plain reports with such words near them
		{"Unless the reply has been filed on May 4, 2027, the claim is struck out.", "due"},
		{"It was ordered that the replies were filed on May 4, 2027.", "listed"},
		{"Ist die Zahlung nicht am 4. Mai 2027 eingegangen, so ist der Vertrag beendet.", "due"},
		{"The service of the complaint will begin on May 4, 2027.", "due"},
		{"If you were served on May 4, 2027, you must answer the complaint.", "listed"},
		{"If the reply was served on May 4, 2027, no hearing is held.", "listed"},
		{"The claim is struck out unless the reply has been served on May 4, 2027.", "due"},
		{"The court ordered that the notice has been served on May 4, 2027.", "listed"},
		{"The reply was filed on May 4, 2027.", "none"},
		{"The order entered on May 4, 2027 denied the motion.", "none"},
		{"The notice was served on May 4, 2027 and the tenant moved out.", "none"},
		{"On condition that the fee was received on May 4, 2027, the stay is granted.", "listed"},
		{"The Services will be provided from May 1, 2027 to October 31, 2027.", "due due"},
		{"The action is dismissed unless the fee was received on May 4, 2027.", "due"},
		{"The judge directed that the lists have been delivered on May 4, 2027.", "listed"},
		{"In the event that the bond has been filed on May 4, 2027, the stay continues.", "listed"},
		{"It is a condition of this order that the statement was served on May 4, 2027.", "listed"},
		{"Provided the deposit was received on May 4, 2027, the option is kept.", "listed"},
		{"The petition was denied on May 4, 2027 unless noted otherwise in the record below.", "none"},
		{"The motion was heard and the parties were sent the ruling on May 4, 2027.", "none"},
		{"When the order was entered on May 4, 2027, the tenant moved out.", "none"},
		{"Once the answer was filed on May 4, 2027, the court set a conference.", "none"},
		{"The list provided was served on May 4, 2027.", "none"},
		{"The parties agreed that the closing was held on May 4, 2027.", "listed"},
		{"It is ordered that the motion filed on May 4, 2027 is denied.", "none"},
		{"The court found that the summons was served on May 4, 2027.", "none"},
		{"The plan was confirmed on May 4, 2027.", "none"},

		// what takes effect, and a duty beside it
		{"The new child support amount of $900 becomes payable effective May 4, 2027.", "listed"},
		{"The merger becomes effective on May 4, 2027.", "listed"},
		{"The insurance policy must be in effect from May 4, 2027.", "due"},
		{"The bond must be effective on May 4, 2027.", "due"},
		{"Respondent shall have insurance in force from May 4, 2027.", "due"},
		{"Rent payments shall take effect on May 4, 2027.", "due"},
		{"Der Vertrag wird mit Wirkung zum 4. Mai 2027 gekündigt.", "due"},
		{"[Party 2] must vacate effective May 4, 2027.", "due"},
		{"The employer must reinstate [Party 1] effective May 4, 2027.", "due"},
		{"Defendant must file an answer effective May 4, 2027.", "due"},
		{"The order to vacate becomes effective on May 4, 2027.", "listed"},

		// a duty before the words of a term
		{"Within the lease, rent begins on May 4, 2027.", "due"},
		{"Child support period begins on May 4, 2027.", "due"},
		{"Return the signed form before coverage begins on May 4, 2027.", "due"},
		{"Please pay rent before the tenancy begins on May 4, 2027.", "due"},
		{"The plan provides for payments of $200 a month beginning May 4, 2027.", "due"},
		{"[Party 2] to begin the treatment program starting May 4, 2027.", "due"},
		{"Anger management program begins on May 4, 2027.", "hearing"},
		{"Probation begins on May 4, 2027.", "listed"},
		{"Buyer owes the premium once the policy begins on May 4, 2027.", "due"},
		{"Licensee needs to return the old keys before the license renews on May 4, 2027.", "due"},
		{"The sublease shall commence on May 4, 2027.", "listed"},
		{"Tenant must give notice of non-renewal before the lease automatically renews on May 4, 2027.", "due"},
		{"The insured must give notice before the policy takes effect on May 4, 2027.", "due"},
		{"The tenant must have obtained insurance when the lease commences on May 4, 2027.", "due"},
		{"Payment is due when the lease begins on May 4, 2027.", "due"},
		{"The deposit is due at lease commencement date May 4, 2027.", "due"},
		{"Employee shall report to work when employment begins on May 4, 2027.", "due"},
		{"[Party 2] shall pay the loan in installments starting May 4, 2027.", "due"},
		{"The payment plan requires $500 beginning May 4, 2027.", "due"},
		{"The tenant must vacate before the new lease term begins on May 4, 2027.", "due"},
		{"The supervised visitation program must begin on May 4, 2027.", "hearing"},
		{"The term shall commence on May 4, 2027.", "listed"},

		// a report beside a word of order
		{"Order that was entered on May 4, 2027.", "none"},
		{"The order that the arbitrator signed was served on May 4, 2027.", "none"},
		{"A motion for an order that the subpoena be quashed was filed on April 3, 2027.", "none"},
		{"The motion to require that the deposit be paid was filed on April 3, 2027.", "none"},
		{"It is ordered that the complaint was filed on May 4, 2027 and is timely.", "listed"},
		{"The order directs that default was entered on May 4, 2027.", "listed"},
		{"The judge instructed that the order was entered on May 4, 2027.", "listed"},
		{"The rule requires that a motion be made and it was filed on May 4, 2027.", "none"},

		// conditions that hold no last day
		{"Except if the bond has been posted on May 4, 2027, the writ issues.", "due"},
		{"Only if the appeal was filed on May 4, 2027 does the stay continue.", "listed"},
		{"As long as rent was received on May 4, 2027, no late fee applies.", "listed"},
		{"Provided that the notice was mailed on May 4, 2027, the tenant has waived.", "listed"},
		{
			"Defendant argues that the court should not have ruled because the motion was filed on May 4, 2027.",
			"none",
		},
		{"Wurde die Klage am 4. Mai 2027 zugestellt, beginnt die Frist.", "listed"},
		{"Ist der Vertrag am 4. Mai 2027 geschlossen worden, gilt neues Recht.", "listed"},
		{"Wenn die Klage am 4. Mai 2027 zugestellt wurde, beginnt die Frist.", "listed"},

		// what begins where a court sits
		{"Voir dire begins on May 4, 2027.", "hearing"},
		{"Testimony begins on May 4, 2027.", "hearing"},
		{"Evidence starts on May 4, 2027.", "hearing"},
		{"Jury service begins on May 4, 2027.", "hearing"},
		{"The matter begins on May 4, 2027 in Courtroom 5.", "hearing"},
		{"Arbitration under the contract begins on May 4, 2027.", "hearing"},
		{"The plaintiff's case in chief starts on May 4, 2027.", "hearing"},
		{"Testimony will begin on May 4, 2027.", "hearing"},
		{"[Party 2] shall be in Department 12 when the calendar starts on May 4, 2027.", "hearing"},

		// stretches of days
		{"The employment records are from May 4, 2027 to May 11, 2027.", "listed listed"},
		{"The warranty runs from May 4, 2027 through May 11, 2027.", "due listed"},
		{"The office is closed from May 4, 2027 to May 11, 2027.", "listed listed"},
		{"The parenting time is from May 4, 2027 to May 11, 2027.", "listed listed"},
		{"Discovery is open from May 4, 2027 to May 11, 2027.", "listed listed"},
		{"You have from May 4, 2027 to May 11, 2027 to file objections.", "due listed"},
		{"The tenant must vacate from May 4, 2027 to May 11, 2027.", "due due"},

		// what begins or ends beside a word of the past
		{"The contract must be signed before construction begins on May 4, 2027.", "due"},
		{"This agreement must be signed before employment begins on May 4, 2027.", "due"},
		{"Deposits must be made before classes begin on May 4, 2027.", "due"},
		{"The guaranty must be executed before the term begins on May 4, 2027.", "due"},
		{"The tenant has signed the rules when the lease begins on May 4, 2027.", "due"},

		// what begins and is no hearing
		{"Alimony shall begin on May 4, 2027.", "due"},
		{"Repayment shall commence on May 4, 2027.", "due"},
		{"Visitation shall begin on May 4, 2027.", "due"},
		{"Wage withholding shall commence on May 4, 2027.", "due"},
		{"Community service shall begin on May 4, 2027.", "due"},
		{"Supervised release begins on May 4, 2027.", "listed"},
		{"Garnishment begins on May 4, 2027.", "listed"},
		{"The sale of the collateral begins on May 4, 2027.", "listed"},

		// the last day of a window
		{"Claims may be filed from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Objections may be filed from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Requests for exclusion can be mailed from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Bids may be submitted from May 4, 2027 through May 11, 2027.", "due listed"},
		{"Applications are accepted from May 4, 2027 to May 11, 2027.", "due listed"},

		// conditions without which something is lost
		{"So long as the premium has been received on May 4, 2027, coverage continues.", "due"},
		{"It is a condition precedent that the certificate has been delivered on May 4, 2027.", "due"},
		{"The claim is struck out unless the fee, with interest, was paid on May 4, 2027.", "due"},
		{"The writ issues unless the bond, in the sum of $500, has been posted on May 4, 2027.", "due"},
		{"The action is dismissed unless the notice that the statute requires was served on May 4, 2027.", "due"},
		{"Die Klage ist abzuweisen, es sei denn, der Vorschuss wurde am 4. Mai 2027 gezahlt.", "due"},
		{"Sofern die Zahlung nicht am 4. Mai 2027 eingegangen ist, endet der Vertrag.", "due"},
		{"If the default has not been cured on May 4, 2027, the lease ends.", "due"},
		{"Judgment is entered if no answer has been filed on May 4, 2027.", "due"},
		{"Ist die Zahlung nicht am 4. Mai 2027 geleistet worden, endet der Vertrag.", "due"},

		// a weekday or an hour behind "effective"
		{"You must quit effective Friday, May 4, 2027.", "due"},
		{"[Party 2] is required to quit the premises effective at 5:00 p.m. on May 4, 2027.", "due"},
		{"The tenant agrees to vacate the unit effective midnight May 4, 2027.", "due"},

		// the last day of a term that was made in words of the past
		{"The lease was signed in 2024 and expires on May 4, 2027.", "due"},
		{"The bonds were issued in 2007 and mature on May 4, 2027.", "due"},
		{"The mortgage executed by Borrower matures on May 4, 2027.", "due"},
		{"The agreement signed by both parties terminates on May 4, 2027.", "due"},
		{"The lease was amended and now terminates on May 4, 2027.", "due"},
		{"The employment contract was not renewed and terminates on May 4, 2027.", "due"},

		// a duty before a period that begins
		{"Buyer shall deposit the earnest money before the inspection period begins on May 4, 2027.", "due"},
		{"Tenant shall deliver the plans before the rent-free period begins on May 4, 2027.", "due"},
		{"Seller must repair the roof before the warranty period begins on May 4, 2027.", "due"},
		{"Tenant must provide the certificate before the rental period begins on May 4, 2027.", "due"},
		{"The employee must pass the test before the probation period begins on May 4, 2027.", "due"},
		{"The company shall mail the notices before the opt-out period begins on May 4, 2027.", "due"},
		{"Seller shall deliver the survey before the feasibility period begins on May 4, 2027.", "due"},

		// German duties
		{"Der Mieter muss die Wohnung am 4. Mai 2027 räumen.", "due"},
		{"Der Beklagte muss am 4. Mai 2027 zahlen.", "due"},
		{"Die Unterlagen müssen am 4. Mai 2027 eingegangen sein.", "due"},

		// in other words: what begins or ends beside a word of the past
		{"The bond must be executed before work begins on May 4, 2027.", "due"},
		{"All waivers must be signed before the season starts on May 4, 2027.", "due"},
		{"The security deposit must be made before occupancy begins on May 4, 2027.", "due"},
		{"Employee has signed the handbook before employment begins on May 4, 2027.", "due"},
		{"The policy must be entered before coverage begins on May 4, 2027.", "due"},

		// in other words: what begins and is no hearing
		{"Spousal maintenance shall commence on May 4, 2027.", "due"},
		{"Restitution shall begin on May 4, 2027.", "due"},
		{"Parenting time must begin on May 4, 2027.", "due"},
		{"Drug testing shall begin on May 4, 2027.", "due"},
		{"House arrest shall commence on May 4, 2027.", "due"},
		{"Home confinement begins on May 4, 2027.", "listed"},
		{"The foreclosure begins on May 4, 2027.", "listed"},
		{"Demolition begins on May 4, 2027.", "listed"},
		{"The deposition of [Party 2] begins on May 4, 2027.", "hearing"},
		{"Opening statements begin on May 4, 2027.", "hearing"},
		{"The session begins on May 4, 2027 at 9:00 a.m.", "hearing"},

		// in other words: the last day of a window
		{"Proofs of claim may be filed from May 4, 2027 until May 11, 2027.", "due listed"},
		{"Elections may be made from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Tenders are received from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Ballots can be cast from Monday, May 4, 2027 to Tuesday, May 11, 2027.", "due listed"},
		{"Objections may be lodged between May 4, 2027 and May 11, 2027.", "due listed"},
		{"Members may opt out from May 4, 2027 through May 11, 2027.", "due listed"},
		{"Comments will be accepted from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Claims were filed from May 4, 2027 to May 11, 2027.", "none"},

		// in other words: conditions without which something is lost
		{"As long as the deposit has been paid on May 4, 2027, the option stands.", "due"},
		{"It is a condition precedent to closing that the consent has been obtained on May 4, 2027.", "due"},
		{"Only if the security has been lodged on May 4, 2027 does the stay continue.", "due"},
		{"The appeal is dismissed unless the record, as certified, was filed on May 4, 2027.", "due"},
		{"The option lapses unless the price, less any credit, has been paid on May 4, 2027.", "due"},
		{"The order is vacated unless the affidavit which the rule requires was served on May 4, 2027.", "due"},
		{"Except if the deposit, plus costs, was received on May 4, 2027, the sale is cancelled.", "due"},
		{"Der Antrag ist unzulässig, es sei denn, die Gebühr wurde am 4. Mai 2027 bezahlt.", "due"},
		{"Falls die Miete nicht am 4. Mai 2027 gezahlt wurde, kann der Vermieter kündigen.", "due"},
		{"Wenn die Kaution am 4. Mai 2027 nicht eingegangen ist, endet der Vertrag.", "due"},
		{"If the rent was not paid on May 4, 2027, the tenancy ends.", "due"},
		{"If no objection was received on May 4, 2027, the plan is confirmed.", "due"},
		{"In the event that the breach has not been remedied on May 4, 2027, the agreement ends.", "due"},
		{"If the fee, with interest, was paid on May 4, 2027, the claim is settled.", "listed"},
		{"Unless otherwise noted, the exhibits were filed on May 4, 2027.", "none"},
		{"The fee, with interest, was paid on May 4, 2027.", "none"},

		// in other words: a weekday or an hour behind "effective"
		{"The tenant shall surrender the keys effective Monday, May 4, 2027.", "due"},
		{"Respondent must move out effective 12:00 noon on May 4, 2027.", "due"},
		{"[Party 2] agrees to leave effective at midnight on May 4, 2027.", "due"},
		{"The occupant is ordered to vacate effective on Friday, May 4, 2027.", "due"},
		{"The policy is cancelled effective Friday, May 4, 2027.", "listed"},

		// in other words: the last day of a term that was made in words of the past
		{"The notes were sold in 2019 and mature on May 4, 2027.", "due"},
		{"The license was granted in 2020 and ends on May 4, 2027.", "due"},
		{"The debenture issued by the Company matures on May 4, 2027.", "due"},
		{"The option was extended and lapses on May 4, 2027.", "due"},
		{"The policy, which was entered into in 2025, expires on May 4, 2027.", "due"},
		{"The sublease was made for a term ending on May 4, 2027.", "due"},
		{"Der Vertrag wurde 2024 geschlossen und endet am 4. Mai 2027.", "due"},
		{"The lease was signed on May 4, 2027.", "none"},

		// in other words: a duty before a period that begins
		{"Tenant must insure the premises before the construction period begins on May 4, 2027.", "due"},
		{"The buyer shall return the form before the review period starts on May 4, 2027.", "due"},
		{"Agent must give notice prior to the date the exclusivity period commences on May 4, 2027.", "due"},
		{"Seller shall cure all defects before the 30-day inspection period begins on May 4, 2027.", "due"},
		{"The comment period begins on May 4, 2027.", "listed"},

		// in other words: duties in German and Spanish
		{"Die Beklagten müssen am 4. Mai 2027 die Schlüssel übergeben.", "due"},
		{"Der Käufer muss die Ware am 4. Mai 2027 abholen.", "due"},
		{"Das Gutachten muss am 4. Mai 2027 vorgelegt werden.", "due"},
		{"Die Parteien sollen am 4. Mai 2027 die Belege austauschen.", "due"},
		{"El demandado debe pagar el 4 de mayo de 2027.", "due"},

		// the same in words that were not looked at before
		{"The escrow must be funded before drilling begins on May 4, 2027.", "due"},
		{"Waivers were to be signed before the trip begins on May 4, 2027.", "due"},
		{"You should have filed the form before coverage begins on May 4, 2027.", "due"},
		{"Mandatory supervision begins on May 4, 2027.", "listed"},
		{"The harvest begins on May 4, 2027.", "listed"},
		{"Installments shall start on May 4, 2027.", "due"},
		{"Community control shall begin on May 4, 2027.", "due"},
		{"The bench trial begins on May 4, 2027.", "hearing"},
		{"The court session begins on May 4, 2027.", "hearing"},
		{"The settlement conference starts on May 4, 2027.", "hearing"},
		{"Notices of claim may be sent from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Shareholders may vote from May 4, 2027 through May 11, 2027.", "due listed"},
		{"Nominations are taken between May 4, 2027 and May 11, 2027.", "due listed"},
		{"Petitions may be signed from May 4, 2027 to May 11, 2027.", "due listed"},
		{"Bids were received from May 4, 2027 to May 11, 2027.", "none"},
		{"Provided that the bond has been posted on May 4, 2027, the stay holds.", "due"},
		{"The bid fails unless the guarantee, signed by a bank, has been filed on May 4, 2027.", "due"},
		{"Unless the tenant, who was warned, has paid on May 4, 2027, the lease ends.", "due"},
		{"Die Kündigung ist wirksam, es sei denn, dass die Miete am 4. Mai 2027 gezahlt wurde.", "due"},
		{"Soweit der Vorschuss nicht am 4. Mai 2027 gezahlt worden ist, wird die Klage abgewiesen.", "due"},
		{"If the premium has not been received on May 4, 2027, the policy lapses.", "due"},
		{"If no payment was made on May 4, 2027, interest runs.", "due"},
		{"The judgment was not appealed and was entered on May 4, 2027.", "none"},
		{"The court found no default because rent was paid on May 4, 2027.", "none"},
		{"No answer was filed before the judgment was entered on May 4, 2027.", "none"},
		{"Tenants must leave effective noon Monday, May 4, 2027.", "due"},
		{"[Party 2] shall cease work effective immediately on May 4, 2027.", "due"},
		{"The resignation is effective 5:00 p.m. on Friday, May 4, 2027.", "listed"},
		{"The certificate was purchased in 2020 and matures on May 4, 2027.", "due"},
		{"The lease was renewed twice and ends on May 4, 2027.", "due"},
		{"The guaranty signed by [Person 1] expires on May 4, 2027.", "due"},
		{"The restraining order was issued in March and terminates on May 4, 2027.", "due"},
		{"The lease that was signed on May 4, 2027 is void.", "none"},
		{"The agreement was terminated on May 4, 2027.", "none"},
		{"Buyer must pay the fee before the 10-day option period begins on May 4, 2027.", "due"},
		{"Seller will deliver title before the closing period commences on May 4, 2027.", "due"},
		{"Die Zeugen müssen am 4. Mai 2027 aussagen.", "due"},
		{"Der Vermieter muss die Kaution am 4. Mai 2027 zurückzahlen.", "due"},
		{"Los inquilinos deben entregar las llaves el 4 de mayo de 2027.", "due"},
		{"The motion filed on May 4, 2027, not opposed, is granted.", "none"},
		{"The tenant, if any, was served on May 4, 2027.", "none"},
		{"The pool may be used from May 4, 2027.", "listed"},
		{"The order, provided to counsel, was served on May 4, 2027.", "none"},
		{"The parties, except [Party 3], were served on May 4, 2027.", "none"},
		{"No objection was filed and the plan was confirmed on May 4, 2027.", "none"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			f := facts.NewReader().Read(tc.text, "")
			if got := strings.Join(standings(f), " "); got != tc.want {
				t.Errorf("the day is %s, want %s", got, tc.want)
			}
		})
	}
}

// standings returns what each day of a text is for that was found.
func standings(f facts.Facts) []string {
	var found []string

	for _, d := range f.Deadlines {
		switch {
		case d.Hearing:
			found = append(found, "hearing")
		case d.HasDate:
			found = append(found, "due")
		}
	}

	for _, d := range f.Listed {
		if d.Told {
			continue
		}
		if d.Moved {
			found = append(found, "moved")
		} else {
			found = append(found, "listed")
		}
	}
	if found == nil {
		return []string{"none"}
	}

	return found
}
