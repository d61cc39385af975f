package cli

import (
	"fmt"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/deploy/internal/secretgen"
)

type devCmd struct {
	Cert devCertCmd `cmd:"" help:"Make a certificate of the local CA for an agent of your own on this machine."`
}

type devCertCmd struct {
	Out string `help:"Folder for cert.pem and key.pem." default:"." type:"path"`
}

// Run makes a certificate for localhost and the loopback addresses.
func (cmd *devCertCmd) Run(sh *shell) error {
	if err := sh.open(); err != nil {
		return err
	}
	cert, key, err := sh.localLeaf(cmd.Out)
	if err != nil {
		return err
	}
	fmt.Fprintf(sh.Out, "Certificate %s\nKey         %s\nThey are good for 90 days, for localhost, 127.0.0.1 and ::1. "+
		"Serve your card with them, for example at https://127.0.0.1:9443/.well-known/agent.json\n", cert, key)

	return nil
}

type keysCmd struct {
	New    keysNewCmd    `cmd:"" help:"Make the pepper, the signing key ring and the services' internal keys."`
	Rotate keysRotateCmd `cmd:"" help:"Add a signing key; it signs after ten minutes, and old keys go with their last bearer."`
}

type keysNewCmd struct {
	Dir string `arg:"" help:"Folder for the files; must not exist or be empty." type:"path"`
}

// Run makes a set of keys.
func (cmd *keysNewCmd) Run(sh *shell) error {
	made, err := secretgen.Ensure(cmd.Dir, sh.Now)
	if err != nil {
		return err
	}
	if !made {
		// New keys over old ones would end every agent and every bearer at once.
		return fmt.Errorf("%s holds a whole set of keys already; nothing was changed", cmd.Dir)
	}
	fmt.Fprintf(sh.Out, "Made in %s, readable by you alone:\n  %-26s KEY_PEPPER_FILE of auth-svc and registry-svc\n"+
		"  %-26s AUTH_SIGNING_KEYS of auth-svc\n  %-26s INTERNAL_TRUST of every service\n"+
		"  %-26s INTERNAL_KEY_FILE of the service named\nWhoever has these files can act as the service. "+
		"Keep them in your secret store.\n",
		cmd.Dir, secretgen.PepperFile, secretgen.RingFile, secretgen.TrustFile,
		filepath.Base(secretgen.InternalKeyFile("<service>")))

	return nil
}

type keysRotateCmd struct {
	Dir string `arg:"" help:"Folder that subrosa keys new made." type:"existingdir"`
}

// Run rotates the signing keys.
func (cmd *keysRotateCmd) Run(sh *shell) error {
	start, err := secretgen.Rotate(cmd.Dir, sh.Now)
	if err != nil {
		return err
	}
	fmt.Fprintf(sh.Out, "Added a key to %s. It is published within a minute and signs from %s; bearers that are alive "+
		"stay valid.\n", filepath.Join(cmd.Dir, secretgen.RingFile), start.Local().Format("15:04:05"))

	return nil
}
