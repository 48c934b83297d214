// Package kubernetes holds tests only: the API server's decoder, defaults,
// validation and warnings read the Jobs of plans. It is apart from Kueue's since
// both enter the same features into one list.
package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"sigs.k8s.io/yaml"

	"github.com/gpucost/gpucost/tools/engines/plans"
)

var codecs = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

func TestTheAPIServerTakesTheJobs(t *testing.T) {
	for options, text := range plans.Tasks(t, "k8s") {
		docs := plans.Documents(text)
		want := 1
		if bytes.Contains(text, []byte("MASTER_ADDR")) {
			want = 2
		}
		if len(docs) != want {
			t.Errorf("%s: %d documents, want %d", options, len(docs), want)
		}
		for _, doc := range docs {
			if err := create(t.Context(), doc); err != nil {
				t.Errorf("%s: %v\n%s", options, err, text)
			}
		}
	}
}

// create does what the API server does with an object before it stores it, with
// warnings as errors.
func create(ctx context.Context, doc []byte) error {
	object, err := runtime.Decode(codecs.UniversalDecoder(), doc)
	if err != nil {
		return err
	}
	switch o := object.(type) {
	case *core.Service:
		o.Namespace = "default"
		if o.Spec.ClusterIP == core.ClusterIPNone {
			o.Spec.ClusterIPs = []string{core.ClusterIPNone} // as the allocator of addresses does
		}
		return validation.ValidateServiceCreate(o).ToAggregate()
	case *batch.Job:
		ctx = request.WithNamespace(ctx, "default")
		o.Namespace, o.UID = "default", types.UID("4c2a7a3e-0000-4000-8000-000000000000")
		job.Strategy.PrepareForCreate(ctx, o)
		if err := job.Strategy.Validate(ctx, o).ToAggregate(); err != nil {
			return err
		}
		if w := job.Strategy.WarningsOnCreate(ctx, o); len(w) > 0 {
			return fmt.Errorf("warnings: %q", w)
		}
		return nil
	}
	return fmt.Errorf("%T is neither a Job nor a Service", object)
}

// The schema that make test checks with is stricter than the API server, never
// laxer: of plans changed at random, what it lets through is taken.
func TestTheSchemaLetsNothingThroughThatIsRefused(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "..", "internal", "cli", "testdata", "engines", "k8s.json"))
	if err != nil {
		t.Fatal(err)
	}
	tasks := plans.Tasks(t, "k8s")
	var docs []any
	for _, options := range slices.Sorted(maps.Keys(tasks)) {
		for _, doc := range plans.Documents(tasks[options]) {
			var tree any
			if err := yaml.Unmarshal(doc, &tree); err != nil {
				t.Fatal(err)
			}
			docs = append(docs, tree)
		}
	}
	m := mutator{rand.New(rand.NewPCG(1, 1))}
	through, taken := 0, 0
	for range 5000 {
		doc := m.change(docs[m.IntN(len(docs))])
		body, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		refusal := create(t.Context(), body)
		if refusal == nil {
			taken++
		}
		if schema.Validate(doc) == nil {
			if through++; refusal != nil {
				t.Errorf("%v\n%s", refusal, body)
			}
		}
	}
	t.Logf("of 5000 changed documents the API server takes %d, the schema %d", taken, through)
	if through < 100 || through > 4000 {
		t.Error("the changes do not try the schema")
	}
}
