package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// line reads what a person types up to the end of the line, at most so many bytes, without the blanks around it. It
// returns io.EOF at the end of the input, and the error of the command's context when that ends first.
func (sh *shell) line(in *bufio.Reader, most int) (string, error) {
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)

	// A read from a terminal cannot be cancelled, so it runs beside: Ctrl-C ends the command all the same.
	go func() {
		text, err := lineOf(in, most)
		done <- read{text, err}
	}()
	select {
	case got := <-done:
		// Ctrl-C can arrive together with the line. Then the person has taken the answer back.
		if err := sh.ctx.Err(); err != nil {
			return "", err
		}

		return got.text, got.err
	case <-sh.ctx.Done():
		fmt.Fprintln(sh.Err)
		return "", sh.ctx.Err()
	}
}

// typedYes reads a line and reports whether it is the whole word yes: what hangs on it cannot be taken back.
func (sh *shell) typedYes() bool {
	line, err := bufio.NewReader(io.LimitReader(sh.In, longestYes)).ReadString('\n')

	return (err == nil || errors.Is(err, io.EOF)) && strings.TrimSpace(line) == "yes"
}

const longestYes = 100 // bytes, with blanks

func lineOf(in *bufio.Reader, most int) (string, error) {
	var b strings.Builder
	for b.Len() < most {
		c, err := in.ReadByte()
		// A last line without a line feed counts as a line.
		if err != nil && b.Len() == 0 {
			return "", io.EOF
		}
		if err != nil || c == '\n' {
			break
		}
		b.WriteByte(c)
	}

	return strings.TrimSpace(b.String()), nil
}
