package cli

import (
	"bufio"
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

	go func() { // a terminal cannot be told to stop reading
		text, err := lineOf(in, most)
		done <- read{text, err}
	}()
	select {
	case got := <-done:
		if err := sh.ctx.Err(); err != nil {
			return "", err
		}

		return got.text, got.err
	case <-sh.ctx.Done():
		fmt.Fprintln(sh.Err)
		return "", sh.ctx.Err()
	}
}

func lineOf(in *bufio.Reader, most int) (string, error) {
	var b strings.Builder
	for b.Len() < most {
		c, err := in.ReadByte()
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
