package minleakdraw

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

type selectorVectors struct {
	Files []struct {
		Name, File string
		Find       [][2]any
	}
	Refused []struct{ Name, File string }
	Invalid []string
}

// The vectors of runtimes/selector.md, or those of the file that MINLEAK_VECTORS names.
func readSelectors(t *testing.T) selectorVectors {
	path := os.Getenv("MINLEAK_VECTORS")
	if path == "" {
		path = "../selector.json"
	}
	data, err := os.ReadFile(path)
	var told selectorVectors
	if err != nil || json.Unmarshal(data, &told) != nil || len(told.Files) == 0 {
		t.Fatal("no vectors")
	}
	return told
}

func unhex(t *testing.T, text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSelectorsFind(t *testing.T) {
	told := readSelectors(t)
	for _, one := range told.Files {
		selector, err := OpenSelector(unhex(t, one.File))
		if err != nil {
			t.Fatal(one.Name, err)
		}
		for _, pair := range one.Find {
			block, listed := selector.Find(pair[0].(string))
			if wanted, is := pair[1].(float64); is != listed || is && uint64(wanted) != block {
				t.Errorf("%s: %q is in %v, not in %d (%v)", one.Name, pair[0], pair[1], block, listed)
			}
		}
		for _, text := range told.Invalid {
			if _, listed := selector.Find(string(unhex(t, text))); listed {
				t.Errorf("%s: %s is no UTF-8", one.Name, text)
			}
		}
	}
}

func TestSelectorsRefused(t *testing.T) {
	for _, one := range readSelectors(t).Refused {
		if selector, err := OpenSelector(unhex(t, one.File)); err == nil || selector != nil {
			t.Error(one.Name)
		}
	}
}
