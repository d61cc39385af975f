// Command auth-svc runs auth-svc by itself.
package main

import (
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

func main() { launch.Main(export.New, authsvc.Entry()) }
