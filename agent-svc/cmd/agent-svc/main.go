// Command agent-svc runs agent-svc by itself.
package main

import (
	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
)

func main() { launch.Main(agentsvc.Entry()) }
