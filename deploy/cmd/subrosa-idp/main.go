// Command subrosa-idp is the development identity provider as a process of its own, with people whose passwords
// everybody knows.
package main

import (
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

func main() { launch.Main(export.New, devidp.Entry()) }
