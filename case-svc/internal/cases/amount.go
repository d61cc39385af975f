package cases

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
	"golang.org/x/text/currency"
)

// Amount is money as a caller writes it.
type Amount struct {
	Decimal  string
	Currency string
	Basis    string
	Source   *SourceRef
}

// controversy reads a decimal amount without ever passing it through a float. Whether its source says so is looked up
// elsewhere.
func (a Amount) controversy(f *validate.List) *Controversy {
	f.OneOf("amountInControversy.basis", a.Basis, vocabulary.AmountBases.All()...)

	switch {
	case a.Basis == "extracted" && a.Source == nil:
		f.Add("amountInControversy.source", "must be given: an extracted amount stands in a file of the case")
	case a.Basis != "extracted" && a.Source != nil:
		f.Add("amountInControversy.source", "goes with the basis extracted only")
	}
	if a.Source != nil {
		a.Source.Check("amountInControversy.source", f)
	}
	unit, err := currency.ParseISO(a.Currency)
	if err != nil || unit.String() != a.Currency {
		f.Add("amountInControversy.currency", "must be an ISO 4217 code such as USD")
		return nil
	}
	scale, _ := currency.Standard.Rounding(unit)
	whole, part, _ := strings.Cut(a.Decimal, ".")
	if !decimalAmount.MatchString(a.Decimal) || len(part) > scale {
		f.Add(
			"amountInControversy.amount",
			fmt.Sprintf("must be a decimal string with at most %d places, such as \"80000\"", scale),
		)

		return nil
	}
	// Fifteen digits and up to four places can be more than 63 bits hold.
	minor, err := strconv.ParseInt(whole+part+strings.Repeat("0", scale-len(part)), 10, 64)
	if err != nil {
		f.Add("amountInControversy.amount", "is too large")
		return nil
	}

	return &Controversy{Minor: minor, Currency: a.Currency, Basis: a.Basis, Source: a.Source}
}

// amount is the amount as its caller wrote it; nil when there is none.
func (c *Controversy) amount() *Amount {
	if c == nil {
		return nil
	}

	return &Amount{Decimal: c.Decimal(), Currency: c.Currency, Basis: c.Basis, Source: c.Source}
}

// Decimal returns the amount as a decimal string with all places of its currency.
func (c Controversy) Decimal() string {
	scale := 2
	if unit, err := currency.ParseISO(c.Currency); err == nil {
		scale, _ = currency.Standard.Rounding(unit)
	}
	// One digit more than there are places, so that 5 cents are 0.05.
	digits := fmt.Sprintf("%0*d", scale+1, c.Minor)
	if scale == 0 {
		return digits
	}

	return digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// maxQuote bounds a quote, in code points.
const maxQuote = 600

// Check adds to f what is wrong with the form of a source. Whether its quote stands in the file is asked of Passages.
func (r SourceRef) Check(path string, f *validate.List) {
	if !ids.Valid(r.FileID) {
		f.Add(path+".fileId", "must be a UUID in lower case")
	}
	placed := r.Page >= 0 && r.Paragraph >= 0 && r.Start >= 0 && r.End > r.Start
	if r.TextVersion < 1 || !placed {
		f.Add(path, "must have a textVersion from 1 on, and a charEnd beyond charStart")
	}
	f.Prose(path+".quote", r.Quote, 1, maxQuote)
}
