// Command registry-svc runs registry-svc by itself.
package main

import (
	"github.com/subrosa-legal/subrosa/pkg/launch"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
)

func main() { launch.Main(registrysvc.Entry()) }
