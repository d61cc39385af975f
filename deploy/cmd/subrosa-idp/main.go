// Command subrosa-idp is the development identity provider as a process of its own, with people whose passwords everybody knows.
package main

import (
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/launch"
)

func main() { launch.Main(devidp.Entry()) }
