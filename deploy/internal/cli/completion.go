package cli

import (
	"fmt"

	"github.com/subrosa-legal/subrosa/deploy/internal/completion"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"${enum}."`
}

// Run prints the script.
func (cmd *completionCmd) Run(sh *shell) error {
	var root commands
	script, err := completion.Script(cmd.Shell, newParser(&root).Model)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(sh.Out, script)

	return err
}
