//go:build deps

// Package deps keeps requirements while the module is being built up.
package deps

import (
	_ "github.com/gin-gonic/gin"
	_ "github.com/golang-jwt/jwt/v5"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/uuid"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/subrosa-legal/subrosa/pkg"
	_ "go.mongodb.org/mongo-driver/v2/mongo"
	_ "go.opentelemetry.io/otel"
	_ "go.opentelemetry.io/otel/metric"
	_ "go.opentelemetry.io/otel/trace"
	_ "go.uber.org/goleak"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/text/unicode/norm"
	_ "pgregory.net/rapid"
)
