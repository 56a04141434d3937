//go:build tools

// Package conformance keeps h2spec in go.mod.
package conformance

import _ "github.com/summerwind/h2spec"
