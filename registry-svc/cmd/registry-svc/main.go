// Command registry-svc runs registry-svc by itself.
package main

import (
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
)

func main() { launch.Main(export.New, registrysvc.Entry()) }
