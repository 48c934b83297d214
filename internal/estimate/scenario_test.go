package estimate_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// Numbers with the units people use.
func TestUnits(t *testing.T) {
	for _, tc := range []struct {
		text string
		into interface{ UnmarshalText([]byte) error }
		got  func(any) float64
		want float64 // -1: refused
	}{
		{"100M tokens", new(estimate.Number), num, 1e8},
		{"1.5B", new(estimate.Number), num, 1.5e9},
		{"14.8T tokens", new(estimate.Number), num, 14.8e12},
		{"20k", new(estimate.Number), num, 20e3},
		{"250000", new(estimate.Number), num, 250000},
		{"100 tokens", new(estimate.Number), num, 100},
		{"0.1k", new(estimate.Number), num, 100},
		{"5m", new(estimate.Number), num, -1},
		{"1,000", new(estimate.Number), num, -1},
		{"1e6", new(estimate.Number), num, -1},
		{"-1", new(estimate.Number), num, -1},
		{"1.", new(estimate.Number), num, -1},
		{".5", new(estimate.Number), num, -1},
		{"", new(estimate.Number), num, -1},
		{"9999999T", new(estimate.Number), num, -1},
		{"500GB", new(estimate.GB), gb, 500},
		{"1.5 TB", new(estimate.GB), gb, 1500},
		{"200GiB", new(estimate.GB), gb, 214.7483648},
		{"750 MB", new(estimate.GB), gb, 0.75},
		{"500", new(estimate.GB), gb, 500},
		{"5 m", new(estimate.GB), gb, -1},
		{"2kB", new(estimate.Bytes), bytesOf, 2000},
		{"2000", new(estimate.Bytes), bytesOf, 2000},
		{"48h", new(estimate.Hours), hoursOf, 48},
		{"3d", new(estimate.Hours), hoursOf, 72},
		{"90min", new(estimate.Hours), hoursOf, 1.5},
		{"30m", new(estimate.Hours), hoursOf, -1},
		{"90s", new(estimate.Minutes), minutesOf, 1.5},
		{"5", new(estimate.Minutes), minutesOf, 5},
		{"80%", new(estimate.Share), shareOf, 0.8},
		{"0.8", new(estimate.Share), shareOf, 0.8},
		{"1.2", new(estimate.Share), shareOf, -1},
		{"-2", new(estimate.Percent), percentOf, -2},
		{"5%", new(estimate.Percent), percentOf, 5},
		{"-100", new(estimate.Percent), percentOf, -1000},
	} {
		err := tc.into.UnmarshalText([]byte(tc.text))
		if refused := tc.want == -1 || tc.want == -1000; refused != (err != nil) {
			t.Errorf("%q: %v", tc.text, err)
		} else if !refused && abs(tc.got(tc.into)-tc.want) > 1e-9*abs(tc.want) {
			t.Errorf("%q = %v, want %v", tc.text, tc.got(tc.into), tc.want)
		}
	}
}

func num(x any) float64       { return x.(*estimate.Number).V }
func gb(x any) float64        { return x.(*estimate.GB).V }
func bytesOf(x any) float64   { return x.(*estimate.Bytes).V }
func hoursOf(x any) float64   { return x.(*estimate.Hours).V }
func minutesOf(x any) float64 { return x.(*estimate.Minutes).V }
func shareOf(x any) float64   { return x.(*estimate.Share).V }
func percentOf(x any) float64 { return x.(*estimate.Percent).V }

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// A mistake in a file is named with its line and column.
func TestProblems(t *testing.T) {
	l := library(t)
	c, _ := setup(t)
	for _, tc := range []struct{ text, want string }{
		{"schema: 1\nkind: train\ntrain: {tokenz: 5}\n", "x.yaml:3:9: train.tokenz: unknown key"},
		{"schema: 1\nkind: trian\n", "x.yaml:2:7: kind: unknown word"},
		{"schema: 2\nkind: train\n", "x.yaml:1:9: schema: 2 is above 1"},
		{"kind: train\n", "missing schema"},
		{"schema: 1\nkind: train\ntrain: {tokens: 5M apples}\n", ""},
		{"schema: 1\nkind: train\ntrain: {tokens: 5 apples a day}\n", "x.yaml:3:17: train.tokens"},
		{"schema: 1\nkind: train\ntrain: {tokens: many}\n", "x.yaml:3:17: train.tokens"},
		{"schema: 1\nextends: finetune-7\n", `x.yaml:2:10: extends: unknown scenario "finetune-7"`},
		{"schema: 1\nkind: rent\nrent: {hours: 1, hours: 2}\n", "stands here twice"},
		{"schema: 1\nkind: rent\noffer: {amount: 1e3, per: gpu_hour}\n", "x.yaml:3:17: offer.amount"},
		{"schema: 1\nkind: rent\nrent: {segments: [{name: a}]}\n", "missing amount, per, currency"},
	} {
		_, ps := l.Read("x.yaml", []byte(tc.text))
		if tc.want == "" {
			if ps.Err() != nil {
				t.Errorf("%q: %v", tc.text, ps)
			}
		} else if ps.Err() == nil || !strings.Contains(ps.Error(), tc.want) {
			t.Errorf("%q: %v, want %s", tc.text, ps, tc.want)
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"schema: 1\nid: x\n", "x.yaml:1:1: kind: state what this is"},
		{"schema: 1\nkind: train\n", "train: state the work"},
		{"schema: 1\nkind: train\nmodel: lama-3.1-70b\ntrain: {tokens: 1M}\n", `x.yaml:3:8: model: unknown model "lama-3.1-70b"`},
		{"schema: 1\nkind: train\ntrain: {tokens: 1M}\n", "model: state the model"},
		{"schema: 1\nkind: serve\nmodel: llama-3.1-8b\nserve: {input_tokens: 5}\n", "serve: state the demand"},
		{"schema: 1\nkind: batch\nmodel: llama-3.1-8b\nbatch: {input_tokens: 5}\n", "batch: state the work"},
		{"schema: 1\nkind: rent\nrent: {utilisation: 1}\n", "rent: state the time"},
		{"schema: 1\nkind: rent\nrent: {hours_per_day: 25, days_per_month: 2}\n", "a day has 24 hours"},
		{"schema: 1\nkind: rent\nrent: {hours: 5}\nhardware: {gpu: h10o}\n", `unknown GPU "h10o"`},
		{"schema: 1\nkind: rent\nrent: {hours: 5}\noffer: {amount: 5}\n", "x.yaml:4:8: offer.per: state what the amount is per"},
	} {
		s, ps := l.Read("x.yaml", []byte(tc.text))
		if ps.Err() != nil {
			t.Errorf("%q: %v", tc.text, ps)
			continue
		}
		if err := estimate.Check(s, c); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, want %s", tc.text, err, tc.want)
		}
	}
}

// A file lies over what it extends, flags lie over both, and each value says
// where it came from.
func TestLayers(t *testing.T) {
	l := library(t)
	s, ps := l.Read("mine.yaml", []byte("schema: 1\nid: mine\nextends: finetune-70b\ntrain: {epochs: 5}\nstorage: {dataset_gb: 0}\n"))
	if ps.Err() != nil {
		t.Fatal(ps)
	}
	if err := s.Set(estimate.Setting{Key: "train.tokens", Value: "200M", Flag: "--tokens"}); err != nil {
		t.Fatal(err)
	}
	if s.Train.Epochs.V != 5 || s.Train.Tokens.V != 2e8 || s.Train.Method != "lora" || s.Model != "llama-3.1-70b" || s.Storage.DatasetGB.V != 0 || s.Storage.EgressGB.V != 2 {
		t.Errorf("%+v %+v", s.Train, s.Storage)
	}
	for key, want := range map[string]estimate.Origin{
		"train.epochs": {Kind: "scenario", Source: "mine.yaml:4"}, "train.tokens": {Kind: "flag", Source: "--tokens"}, "train.stack": {Kind: "default"},
	} {
		if got := s.Origin(key); got != want {
			t.Errorf("%s: %+v, want %+v", key, got, want)
		}
	}
	if o := s.Origin("train.method"); o.Kind != "scenario" || !strings.HasPrefix(o.Source, "finetune-70b (built in):") {
		t.Errorf("method: %+v", o)
	}
	b, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(b), `"train":{"method":"lora","tokens":200000000,"epochs":5`) {
		t.Errorf("%s, %v", b, err)
	}
	base, err := l.Scenario("finetune-70b") // untouched by what was laid over it
	if err != nil || base.Train.Epochs.V != 3 {
		t.Errorf("the base changed: %+v, %v", base.Train, err)
	}
}

func TestSet(t *testing.T) {
	for _, tc := range []struct{ key, value, want, hint string }{
		{"train.tokenz", "5", "--set train.tokenz 5: unknown key", "tokens"},
		{"trian.tokens", "5", "unknown key", "train"},
		{"train.tokens", "lots", "want a number", ""},
		{"train", "5", "want a mapping", ""},
		{"Train.tokens", "5", "", ""},
		{"train.method", "loar", "unknown word", "lora"},
		{"", "5", "want key=value", ""},
	} {
		x, err := estimate.ParseSetting(tc.key + "=" + tc.value)
		if err == nil {
			err = new(estimate.Scenario).Set(x)
		}
		hint := ""
		if e, ok := err.(*estimate.SettingError); ok { //nolint:errorlint // never wrapped
			hint = e.Hint
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(hint, tc.hint) {
			t.Errorf("%s=%s: %v (%s), want %s (%s)", tc.key, tc.value, err, hint, tc.want, tc.hint)
		}
	}
	if _, err := library(t).Scenario("finetune-70"); err == nil || !strings.Contains(err.Error(), "unknown scenario") {
		t.Errorf("%v", err)
	}
}

// The schema for editors is the one in data.
func TestSchemaFile(t *testing.T) {
	want := catalog.Schema("gpucost scenario", estimate.Scenario{})
	const name = "../../data/schema/scenario.schema.json"
	got, err := os.ReadFile(name)
	if os.Getenv("UPDATE_SCHEMA") != "" {
		err = os.WriteFile(name, want, 0o644)
		got = want
	}
	if err != nil || string(got) != string(want) {
		t.Errorf("data/schema/scenario.schema.json is not that of the format (%v): UPDATE_SCHEMA=1 go test ./internal/estimate -run TestSchemaFile", err)
	}
}

// Parameters counted from configurations, against the figures of the models'
// makers.
func TestModelConfig(t *testing.T) {
	c := &catalog.Catalog{}
	for _, tc := range []struct {
		name, json     string
		params, active float64 // billions
		kv             float64 // bytes per token, BF16
		id, kind, attn string
	}{
		{
			"DeepSeek-V3", `{"model_type":"deepseek_v3","hidden_size":7168,"num_hidden_layers":61,"num_attention_heads":128,"num_key_value_heads":128,"intermediate_size":18432,
			"vocab_size":129280,"n_routed_experts":256,"num_experts_per_tok":8,"n_shared_experts":1,"moe_intermediate_size":2048,"first_k_dense_replace":3,"q_lora_rank":1536,
			"kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":128,"v_head_dim":128,"tie_word_embeddings":false,"max_position_embeddings":163840}`,
			671, 37.5, 70272, "config", "MoE", "MLA",
		},
		{"Llama 3.1 70B", `{"_name_or_path":"meta-llama/Llama-3.1-70B","model_type":"llama","hidden_size":8192,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,
			"intermediate_size":28672,"vocab_size":128256,"tie_word_embeddings":false}`, 70.55, 70.55, 327680, "llama-3.1-70b", "dense", "GQA"},
		{"Qwen2.5 0.5B, tied", `{"model_type":"qwen2","hidden_size":896,"num_hidden_layers":24,"num_attention_heads":14,"num_key_value_heads":2,"intermediate_size":4864,"vocab_size":151936,
			"tie_word_embeddings":true}`, 0.494, 0.494, 12288, "config", "dense", "GQA"},
		{"Mixtral 8x7B", `{"model_type":"mixtral","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":32000,
			"num_local_experts":8,"num_experts_per_tok":2}`, 46.7, 12.88, 131072, "config", "MoE", "GQA"},
		{"Gemma 3 27B with a window", `{"model_type":"gemma3","text_config":{"model_type":"gemma3_text","hidden_size":5376,"num_hidden_layers":62,"num_attention_heads":32,"num_key_value_heads":16,
			"head_dim":128,"intermediate_size":21504,"vocab_size":262208,"sliding_window":1024}}`, 27, 27, 507904, "gemma-3", "dense", "GQA"},
		{"GPT-2", `{"model_type":"gpt2","n_layer":12,"n_embd":768,"n_head":12,"vocab_size":50257,"tie_word_embeddings":true}`, 0.1235, 0.1235, 36864, "config", "dense", "MHA"},
	} {
		m, err := estimate.ModelFromConfig("config.json", []byte(tc.json), c)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if abs(m.ParamsB/tc.params-1) > 0.01 || abs(m.ActiveB/tc.active-1) > 0.01 || m.KVBytesPerTokenBF16 != tc.kv || m.ID != tc.id || m.Type != tc.kind || m.Attention != tc.attn {
			t.Errorf("%s: %.4g B, %.4g B active, %g B per token, %s %s %s", tc.name, m.ParamsB, m.ActiveB, m.KVBytesPerTokenBF16, m.ID, m.Type, m.Attention)
		}
	}
	full, _ := setup(t)
	m, err := estimate.ModelFromConfig("c.json", []byte(`{"model_type":"llama","hidden_size":8192,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"intermediate_size":28672,"vocab_size":128256}`), full)
	if err != nil || !strings.HasPrefix(m.ID, "llama-3") {
		t.Errorf("the shape of a known model is not recognised: %+v, %v", m, err)
	}
	for _, bad := range []string{`{}`, `[]`, `{"hidden_size":1e9}`, `{"num_hidden_layers":-1,"hidden_size":8,"num_attention_heads":1,"vocab_size":8}`, `{"hidden_size":"8"}`, `{"a":1,"a":2}`, ``} {
		if m, err := estimate.ModelFromConfig("c.json", []byte(bad), c); err == nil {
			t.Errorf("%s: %+v", bad, m)
		}
	}
}

func FuzzScenario(f *testing.F) {
	b, err := os.ReadFile("../../data/scenarios.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, id := range estimate.NewLibrary("", b).IDs() {
		s, err := estimate.NewLibrary("", b).Scenario(id)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(s.Text()))
	}
	c, e := setup(f)
	small := c.WithoutPrices()
	l := estimate.NewLibrary("", b)
	f.Fuzz(func(t *testing.T, text string) {
		s, ps := l.Read("fuzz.yaml", []byte(text))
		if ps.Err() != nil {
			return
		}
		if _, err := json.Marshal(s); err != nil {
			t.Fatal(err)
		}
		a, err := estimate.Run(&estimate.Request{Scenario: s, Catalog: small, Query: query(c), Estimator: e, Explain: true})
		if err != nil {
			return
		}
		for i := range a.Estimates {
			sound(t, &a.Estimates[i])
		}
	})
}

func FuzzModelConfig(f *testing.F) {
	f.Add(`{"model_type":"llama","hidden_size":8192,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"intermediate_size":28672,"vocab_size":128256}`)
	f.Add(`{"text_config":{"n_layer":12,"n_embd":768,"n_head":12,"vocab_size":50257,"num_experts":4,"num_experts_per_tok":2}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := estimate.ModelFromConfig("c.json", []byte(text), &catalog.Catalog{})
		if err == nil && !(m.ParamsB > 0 && m.ActiveB > 0 && m.ActiveB <= m.ParamsB && m.ParamsB < 1e12) {
			t.Fatalf("%s: %+v", text, m)
		}
	})
}
