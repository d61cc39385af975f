// Command case-svc runs case-svc by itself.
package main

import (
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
)

func main() { launch.Main(casesvc.Entry()) }
