package minleakdraw

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

type vectors struct {
	RefusedScopes []string                      `json:"refused_scopes"`
	RefusedTables []struct{ Name, Text string } `json:"refused_tables"`
	Paddings      []struct {
		Name, JSON, CSV string
		Pads            [][2]float64
		Refused         []float64
	}
	Cases []struct {
		Name    string
		HashKey string `json:"hash_key"`
		Tables  []json.RawMessage
		Draws   []struct {
			Lineage, Key, Scope, Secret string
			Set                         []string
		}
	}
}

var key = []byte("0123456789abcdef0123456789abcdef")

func read(t *testing.T) vectors {
	data, err := os.ReadFile("../vectors.json")
	var told vectors
	if err != nil || json.Unmarshal(data, &told) != nil {
		t.Fatal("no vectors")
	}
	return told
}

func named(t *testing.T, name string, options Options) *Table {
	for _, one := range read(t).Cases {
		if one.Name == name {
			table, err := Parse(one.Tables[0], options)
			if err != nil {
				t.Fatal(err)
			}
			return table
		}
	}
	t.Fatal("no such case")
	return nil
}

func isRefused(t *testing.T, what string, err error) {
	if !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v", what, err)
	}
}

func TestVectors(t *testing.T) {
	seen := 0
	for _, one := range read(t).Cases {
		var options Options
		if one.HashKey != "" {
			options.HashKey, _ = hex.DecodeString(one.HashKey)
		}
		tables := map[string]*Table{}
		for _, text := range one.Tables {
			table, err := Parse(text, options)
			if err != nil {
				t.Fatal(one.Name, err)
			}
			tables[table.Lineage] = table
		}
		for _, draw := range one.Draws {
			secret, _ := hex.DecodeString(draw.Key)
			shown, err := tables[draw.Lineage].Draw(draw.Secret, draw.Scope, secret)
			if err != nil || !reflect.DeepEqual(shown, draw.Set) {
				t.Fatal(one.Name, err)
			}
			seen++
		}
	}
	if seen < 1000 {
		t.Error("few vectors")
	}
}

func TestRefusedTables(t *testing.T) {
	for _, one := range read(t).RefusedTables {
		table, err := Parse([]byte(one.Text), Options{})
		if err == nil {
			_, err = table.Draw("hidden", "u", key)
		}
		isRefused(t, one.Name, err)
	}
	_, err := Parse([]byte("{\"\xff\": 1}"), Options{})
	isRefused(t, "no UTF-8", err)
}

func TestRefusedDraws(t *testing.T) {
	table := named(t, "homes and a ring", Options{})
	for _, scope := range read(t).RefusedScopes {
		if scope == "\ufffd" { // Go has no halves of surrogate pairs
			continue
		}
		_, err := table.Draw("flu", scope, key)
		isRefused(t, "scope", err)
	}
	if _, err := table.Draw("flu", "\xff\xfe", key); err != nil {
		t.Error("bytes are a scope")
	}
	for _, short := range [][]byte{nil, key[:31]} {
		_, err := table.Draw("flu", "u", short)
		isRefused(t, "key", err)
	}
	for _, secret := range []string{"hidden", "flu ", "FLU", "", "\xff"} {
		_, err := table.Draw(secret, "u", key)
		isRefused(t, "secret", err)
		if !errors.Is(err, ErrUnknown) {
			t.Error("not said to be unknown")
		}
	}
	_, err := Open(filepath.Join(t.TempDir(), "hidden.json"), Options{})
	isRefused(t, "no file", err)
	text := read(t).Cases[0].Tables[0]
	for _, options := range []Options{{Digest: "00"}, {HashKey: key}, {HashKey: key[:3]}} {
		_, err = Parse(text, options)
		isRefused(t, "options", err)
	}
}

func TestBlocksNeedNoKey(t *testing.T) {
	shown, err := named(t, "blocks", Options{}).Draw("flu", "", nil)
	if err != nil || len(shown) != 3 {
		t.Error(err)
	}
}

func TestGoroutines(t *testing.T) {
	table := named(t, "giants", Options{})
	expected, _ := table.Draw("flu", "u", key)
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 100; j++ {
				if shown, err := table.Draw("flu", "u", key); err != nil || !reflect.DeepEqual(shown, expected) {
					t.Error("another set")
				}
			}
		}()
	}
	group.Wait()
}
