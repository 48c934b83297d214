// Package data holds the catalog: the YAML files that people edit, and their
// compiled twin that the program loads. After a change to a YAML file run
// go generate ./data; a test says so when it was forgotten.
package data

import "embed"

//go:generate go run ../cmd/gencatalog -dir .

// Files are the YAML files of this folder.
//
//go:embed *.yaml
var Files embed.FS

// CatalogTwin is the compiled catalog, to be read by catalog.Embedded.
//
//go:embed catalog.bin
var CatalogTwin string
