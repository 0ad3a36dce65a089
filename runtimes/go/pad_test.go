package minleakdraw

import (
	"math"
	"testing"
)

func TestPaddings(t *testing.T) {
	seen := 0
	for _, one := range read(t).Paddings {
		for _, text := range []string{one.JSON, one.CSV} {
			table, err := ParsePadding([]byte(text))
			if err != nil {
				t.Fatal(one.Name, err)
			}
			for _, pair := range one.Pads {
				if padded, err := table.Pad(pair[0]); err != nil || padded != pair[1] {
					t.Error(one.Name, pair, padded, err)
				}
				seen++
			}
			for _, size := range append(one.Refused, -1, math.NaN(), math.Inf(1)) {
				_, err = table.Pad(size)
				isRefused(t, one.Name, err)
			}
		}
	}
	if seen < 500 {
		t.Error("few paddings")
	}
}

func TestRefusedPaddings(t *testing.T) {
	for _, text := range []string{
		"", "hidden", "[]", "[7]", "{}", "{hidden", `{"values": 7}`, `{"values": []}`, `{"values": ["hidden"]}`, `{"values": [2, 1]}`,
		`{"values": [-1]}`, `{"values": [7], "beyond": -1}`, `{"values": [7], "beyond": "x"}`, "padded\n", "hidden\n7\n",
		"padded,beyond\n7,.1\n9,.2\n", "padded,beyond\n7,\n", "padded\n7\n7\n",
	} {
		_, err := ParsePadding([]byte(text))
		isRefused(t, "padding", err)
	}
}
