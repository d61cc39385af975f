// Command agent-svc runs agent-svc by itself.
package main

import (
	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

func main() { launch.Main(export.New, agentsvc.Entry()) }
