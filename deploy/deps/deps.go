//go:build deps

// Package deps keeps requirements while the module is being built up.
package deps

import (
	_ "github.com/subrosa-legal/subrosa/party-svc"
	_ "github.com/subrosa-legal/subrosa/case-svc"
	_ "github.com/subrosa-legal/subrosa/agent-svc"
	_ "github.com/subrosa-legal/subrosa/auth-svc"
	_ "github.com/subrosa-legal/subrosa/registry-svc"
	_ "github.com/subrosa-legal/subrosa/gateway"
	_ "github.com/subrosa-legal/subrosa/pkg"
	_ "github.com/gin-gonic/gin"
	_ "github.com/redis/go-redis/v9"
	_ "go.mongodb.org/mongo-driver/v2/mongo"
	_ "github.com/golang-jwt/jwt/v5"
	_ "go.opentelemetry.io/otel"
	_ "go.opentelemetry.io/otel/trace"
	_ "go.opentelemetry.io/otel/metric"
	_ "github.com/google/uuid"
	_ "github.com/google/go-cmp/cmp"
	_ "pgregory.net/rapid"
	_ "go.uber.org/goleak"
	_ "github.com/FerretDB/FerretDB/ferretdb"
	_ "github.com/alicebob/miniredis/v2"
	_ "github.com/luikyv/go-oidc/pkg/provider"
	_ "github.com/coreos/go-oidc/v3/oidc"
	_ "golang.org/x/oauth2"
	_ "github.com/alecthomas/kong"
	_ "github.com/tmaxmax/go-sse"
	_ "golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite"
	_ "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	_ "google.golang.org/protobuf/proto"
	_ "github.com/rogpeppe/go-internal/testscript"
)
