// Command gateway runs the gateway by itself.
package main

import (
	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

func main() { launch.Main(export.New, gateway.Entry()) }
