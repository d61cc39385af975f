// Command gateway runs the gateway by itself.
package main

import (
	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/launch"
)

func main() { launch.Main(gateway.Entry()) }
