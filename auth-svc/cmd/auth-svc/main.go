// Command auth-svc runs auth-svc by itself.
package main

import (
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
)

func main() { launch.Main(authsvc.Entry()) }
