// Command case-svc runs case-svc by itself.
package main

import (
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

func main() { launch.Main(export.New, casesvc.Entry()) }
