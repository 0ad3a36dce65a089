package minleakdraw

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
)

const (
	// Whole sizes are at most so large, since a float64 holds no larger ones exactly.
	largest = 1<<53 - 1
	// The most values that a padding table goes on by.
	steps = 1_000_000
)

// Padding is a table that `minleak pad` wrote: what to pad sizes or times to.
type Padding struct {
	values []float64
	times  bool
	beyond float64 // 0 if larger sizes are refused
}

// ParsePadding reads the table in the content of a .json or a .csv file.
func ParsePadding(data []byte) (*Padding, error) {
	texts, rule, ok := parsePaddingCSV(data)
	if strings.HasPrefix(strings.TrimSpace(string(data)), "{") {
		texts, rule, ok = parsePaddingJSON(data)
	}
	table := &Padding{}
	for _, text := range texts {
		value, err := strconv.ParseFloat(text, 64)
		above := len(table.values) == 0 || value > table.values[len(table.values)-1]
		ok = ok && err == nil && value >= 0 && !math.IsInf(value, 0) && above
		table.values = append(table.values, value)
		table.times = table.times || strings.ContainsAny(text, ".eE")
	}
	if rule != "" {
		share, err := strconv.ParseFloat(rule, 64)
		ok = ok && err == nil && share > 0 && !math.IsInf(share, 0)
		table.beyond = share
	}
	if !ok || len(texts) == 0 {
		return nil, refused("this is no padding table")
	}
	return table, nil
}

// Pad is what to pad a size to: the least value that is not smaller. Where the table has a rule it goes on as
// runtimes/spec.md says; else larger sizes are refused.
func (table *Padding) Pad(size float64) (float64, error) {
	last := table.values[len(table.values)-1]
	if !(size >= 0) || math.IsInf(size, 0) || size > last && table.beyond == 0 {
		return 0, refused("the size is not one that the table was designed for")
	}
	padded := math.NaN()
	switch at := sort.SearchFloat64s(table.values, size); {
	case at == len(table.values) && table.times:
		padded = table.timeAbove(last, size)
	case at == len(table.values):
		padded = table.wholeAbove(last, size)
	case table.times && table.beyond > 0 && (at == 0 || table.values[at-1] == 0):
		padded = table.timeBelow(table.values[at], size)
	default:
		padded = table.values[at]
	}
	if !(padded >= size) || !table.times && padded > largest {
		return 0, refused("the size is not one that the table was designed for")
	}
	return padded, nil
}

// timeAbove is the first of last (1 + beyond), last (1 + beyond)^2, ... that is not smaller than the size.
func (table *Padding) timeAbove(last, size float64) float64 {
	for i := 0; i < steps && last < size; i++ {
		last *= float64(1 + table.beyond)
	}
	return last
}

// timeBelow is the least of value, value / (1 + beyond), ... that is not smaller than the size; 0 stays as it is.
func (table *Padding) timeBelow(value, size float64) float64 {
	if size == 0 {
		return 0
	}
	for i := 0; i < steps; i++ {
		less := value / float64(1+table.beyond)
		if less < size || less == value {
			return value
		}
		value = less
	}
	return math.NaN()
}

// wholeAbove is the same for whole numbers: after v comes floor((v + 1) (1 + beyond)), with beyond as the decimal number
// that it is written as.
func (table *Padding) wholeAbove(last, size float64) float64 {
	share, _ := new(big.Rat).SetString(strconv.FormatFloat(table.beyond, 'f', -1, 64))
	value, one, more := big.NewInt(int64(math.Min(last, largest+1))), big.NewInt(1), new(big.Int)
	aim, _ := big.NewFloat(math.Ceil(size)).Int(nil)
	for i := 0; i < steps && value.Cmp(aim) < 0; i++ {
		value.Add(value, one)
		value.Add(value, more.Quo(more.Mul(value, share.Num()), share.Denom()))
	}
	padded, _ := new(big.Float).SetInt(value).Float64()
	return padded
}

// parsePaddingJSON gives the values and the rule as they are written, the rule empty if there is none.
func parsePaddingJSON(data []byte) ([]string, string, bool) {
	var said struct {
		Beyond *json.Number
		Values []json.Number
	}
	if json.Unmarshal(data, &said) != nil {
		return nil, "", false
	}
	texts := make([]string, len(said.Values))
	for i, value := range said.Values {
		texts[i] = value.String()
	}
	if said.Beyond == nil {
		return texts, "", true
	}
	return texts, said.Beyond.String(), true
}

// parsePaddingCSV gives the same of a .csv, whose rows repeat the rule.
func parsePaddingCSV(data []byte) ([]string, string, bool) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, "", false
	}
	padded, beyond := -1, -1
	for i, name := range rows[0] {
		if name == "padded" {
			padded = i
		} else if name == "beyond" {
			beyond = i
		}
	}
	if padded < 0 {
		return nil, "", false
	}
	texts, rule := []string{}, ""
	for i, row := range rows[1:] {
		texts = append(texts, row[padded])
		if beyond >= 0 {
			if row[beyond] == "" || i > 0 && row[beyond] != rule {
				return nil, "", false
			}
			rule = row[beyond]
		}
	}
	return texts, rule, true
}
