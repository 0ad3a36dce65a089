// Package minleakdraw draws from tables that `minleak export` wrote as .json, with Go's standard library alone (which has
// no SQLite, so that .sqlite tables are not read): runtimes/spec.md of minleak says how.
//
//	table, err := minleakdraw.Open("words.json", minleakdraw.Options{})
//	shown, err := table.Draw("flu", "user-17", key) // labels, always the same
//
// ParsePadding reads the tables that `minleak pad` wrote.
package minleakdraw

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	format = "minleak table 1"
	block  = 16
	// Numbers have at most so many digits.
	digits = 300
	// Places of secrets with many sets are kept parsed: so many secrets, from so many characters on.
	kept, long = 64, 4096
)

// ErrRefused is wrapped by every error of this package; no message repeats a label, a scope or a key.
var ErrRefused = errors.New("minleak-draw")

// ErrUnknown is wrapped where the table does not list a secret: refuse it, never pass it through.
var ErrUnknown = fmt.Errorf("%w: the table does not list this secret: refuse it", ErrRefused)

func refused(message string, values ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(message, values...))
}

// Options of Open and Parse.
type Options struct {
	// Digest refuses every other table than the one that `minleak export` told it of; in hexadecimal.
	Digest string
	// HashKey is the key of hashed labels. Without it the table is asked by hashes.
	HashKey []byte
}

// Table is a table that was checked whole. It can be drawn from by many goroutines.
type Table struct {
	// Lineage is what to remember for a subject who is drawn for the first time: draw them from it for ever.
	Lineage string
	// Version is the larger, of two tables of one lineage, of the one that lists more secrets.
	Version int
	// Digest is what the table is known by, in hexadecimal.
	Digest string

	integers, hashed, keyed bool
	hashKey, lineage        []byte
	labels, places, sets    []string
	numbers                 map[string]int
	lock                    sync.Mutex
	kept                    map[int]parsed
}

type parsed struct {
	sets  []int
	lasts []*big.Int
}

var header = []struct {
	name string
	form *regexp.Regexp
}{
	{"format", regexp.MustCompile(`^minleak table 1$`)},
	{"lineage", regexp.MustCompile(`^[0-9a-f]{64}$`)},
	{"version", regexp.MustCompile(`^[1-9][0-9]{0,8}$`)},
	{"labels", regexp.MustCompile(`^(text|integers)$`)},
	{"hashed", regexp.MustCompile(`^([0-9a-f]{16})?$`)},
	{"keyed", regexp.MustCompile(`^(yes|no)$`)},
}

var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,18})$`)

// Open reads the table in a .json file.
func Open(path string, options Options) (*Table, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, refused("the table cannot be read")
	}
	return Parse(data, options)
}

// Parse reads the table in a text of JSON.
func Parse(data []byte, options Options) (*Table, error) {
	foreign := refused("this is no table of the format %s", format)
	var fields map[string]json.RawMessage
	if !utf8.Valid(data) || json.Unmarshal(data, &fields) != nil || len(fields) != len(header)+3 {
		return nil, foreign
	}
	said, head := map[string]string{}, ""
	for _, field := range header {
		var value *string
		if json.Unmarshal(fields[field.name], &value) != nil || value == nil || !field.form.MatchString(*value) {
			return nil, refused("this is no table of the format %s: its %s is not what it must be", format, field.name)
		}
		said[field.name] = *value
		head += *value + "\n"
	}
	var secrets [][]*string
	var sets []*string
	var digest *string
	for name, into := range map[string]any{"secrets": &secrets, "sets": &sets, "digest": &digest} {
		if json.Unmarshal(fields[name], into) != nil {
			return nil, foreign
		}
	}
	if digest == nil || len(secrets) == 0 || len(sets) == 0 {
		return nil, foreign
	}
	version, _ := strconv.Atoi(said["version"])
	lineage, _ := hex.DecodeString(said["lineage"])
	table := &Table{
		Lineage: said["lineage"], Version: version, Digest: *digest, lineage: lineage,
		integers: said["labels"] == "integers", hashed: said["hashed"] != "", keyed: said["keyed"] == "yes",
		numbers: make(map[string]int, len(secrets)), kept: map[int]parsed{},
	}
	for number, pair := range secrets {
		if len(pair) != 2 || pair[0] == nil || pair[1] == nil || table.mark() == "i" && !integer.MatchString(*pair[0]) {
			return nil, foreign
		}
		table.labels = append(table.labels, *pair[0])
		table.places = append(table.places, *pair[1])
		table.numbers[*pair[0]] = number
	}
	for _, members := range sets {
		if members == nil {
			return nil, foreign
		}
		table.sets = append(table.sets, *members)
	}
	if len(table.numbers) < len(secrets) {
		return nil, refused("the table is damaged: a label stands in it twice")
	}
	if table.digest(head) != *digest {
		return nil, refused("the table is damaged: its digest is not that of its content")
	}
	if options.Digest != "" && options.Digest != *digest {
		return nil, refused("the table is not the one that was asked for: its digest is another")
	}
	if options.HashKey != nil {
		if len(options.HashKey) != 32 || hex.EncodeToString(sign(options.HashKey, message([]byte("name")))[:8]) != said["hashed"] {
			return nil, refused("the labels of the table are not hashed by this key")
		}
		table.hashKey = append([]byte{}, options.HashKey...)
	}
	return table, nil
}

// Draw is the set that is shown for a secret, to whoever the scope names, under a key of 32 bytes. Whole numbers are asked
// for, and shown, in decimals.
func (table *Table) Draw(secret, scope string, key []byte) ([]string, error) {
	if table.keyed {
		if len(key) != 32 {
			return nil, refused("a key is 32 bytes")
		}
		if namesNobody(scope) {
			return nil, refused("a scope names nobody: give each subject's own name, without NUL")
		}
	}
	listed := secret
	if table.hashKey != nil {
		mark := "s"
		if table.integers {
			mark = "i"
		}
		listed = hex.EncodeToString(sign(table.hashKey, message([]byte("label"), []byte(mark+secret))))
	}
	number, found := table.numbers[listed]
	if !found {
		return nil, ErrUnknown
	}
	own, err := table.parse(number)
	if err != nil {
		return nil, err
	}
	place, last := new(big.Int), own.lasts[len(own.lasts)-1]
	if table.keyed {
		place = below(new(big.Int).Add(last, big.NewInt(1)), key, message(table.lineage, []byte(scope), []byte(table.mark()+listed)))
	} else if len(own.lasts) > 1 || last.Sign() != 0 {
		return nil, refused("the table is damaged: it needs no key, yet a secret has several places")
	}
	at := sort.Search(len(own.lasts), func(i int) bool { return place.Cmp(own.lasts[i]) <= 0 })
	return table.members(own.sets[at], number)
}

// mark says whether labels are drawn as whole numbers or as text.
func (table *Table) mark() string {
	if table.integers && !table.hashed {
		return "i"
	}
	return "s"
}

func (table *Table) digest(head string) string {
	head += fmt.Sprintf("%d\n%d\n", len(table.labels), len(table.sets))
	all := sha256.New()
	all.Write([]byte(head))
	var some bytes.Buffer
	hash := func(count int, record func(int) []string) {
		for i := 0; i < count; i++ {
			for _, part := range record(i) {
				prefix(&some, []byte(part))
			}
			if i%block == block-1 || i == count-1 {
				sum := sha256.Sum256(some.Bytes())
				all.Write(sum[:])
				some.Reset()
			}
		}
	}
	mark := table.mark()
	hash(len(table.labels), func(i int) []string { return []string{mark + table.labels[i], table.places[i]} })
	hash(len(table.sets), func(i int) []string { return []string{table.sets[i]} })
	return hex.EncodeToString(all.Sum(nil))
}

// parse gives the sets of a secret, and the last place that leads to each.
func (table *Table) parse(number int) (parsed, error) {
	text := table.places[number]
	if len(text) >= long {
		table.lock.Lock()
		defer table.lock.Unlock()
		if own, found := table.kept[number]; found {
			return own, nil
		}
	}
	var own parsed
	for _, pair := range strings.Split(text, ";") {
		set, last, two := strings.Cut(pair, " ")
		if !two || !isNumber(set) || !isNumber(last) {
			return own, refused("the table is damaged: places are not what they must be")
		}
		end, _ := new(big.Int).SetString(last, 10)
		at, err := strconv.Atoi(set)
		if err != nil || at >= len(table.sets) || len(own.lasts) > 0 && end.Cmp(own.lasts[len(own.lasts)-1]) <= 0 {
			return own, refused("the table is damaged: places overlap, or lead to a set that is not there")
		}
		own.sets, own.lasts = append(own.sets, at), append(own.lasts, end)
	}
	if len(text) >= long {
		if len(table.kept) >= kept {
			table.kept = map[int]parsed{}
		}
		table.kept[number] = own
	}
	return own, nil
}

// members gives the labels of a set, which must hold that secret.
func (table *Table) members(set, secret int) ([]string, error) {
	shown, before, holds := []string{}, -1, false
	for _, text := range strings.Split(table.sets[set], " ") {
		member, err := strconv.Atoi(text)
		if err != nil || !isNumber(text) || member <= before || member >= len(table.labels) {
			return nil, refused("the table is damaged: the members of a set are not what they must be")
		}
		shown, before, holds = append(shown, table.labels[member]), member, holds || member == secret
	}
	if !holds {
		return nil, refused("the table is damaged: a set does not hold the secret that leads to it")
	}
	return shown, nil
}

// isNumber says whether a text is a number in decimals, without a sign, leading zeros or too many digits.
func isNumber(text string) bool {
	if text == "" || len(text) > digits || text[0] == '0' && len(text) > 1 {
		return false
	}
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// below is floor(r N), reading as many blocks of r as decide it.
func below(bound *big.Int, key, begin []byte) *big.Int {
	known, one := new(big.Int), big.NewInt(1)
	for number := uint(0); ; number++ {
		counted := binary.BigEndian.AppendUint32(append([]byte{}, begin...), uint32(number))
		known.Lsh(known, 256).Or(known, new(big.Int).SetBytes(sign(key, counted)))
		bits := 256 * (number + 1)
		product, all := new(big.Int).Mul(known, bound), new(big.Int).Lsh(one, bits)
		rest := new(big.Int).Mod(product, all)
		if rest.Add(rest, bound).Cmp(all) <= 0 {
			return product.Rsh(product, bits)
		}
	}
}

func sign(key, data []byte) []byte {
	keyed := hmac.New(sha256.New, key)
	keyed.Write(data)
	return keyed.Sum(nil)
}

func message(parts ...[]byte) []byte {
	var whole bytes.Buffer
	whole.WriteByte(1)
	for _, part := range parts {
		prefix(&whole, part)
	}
	return whole.Bytes()
}

func prefix(into *bytes.Buffer, part []byte) {
	into.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
	into.Write(part)
}

var missing = regexp.MustCompile(`^(None|nan|NaN|NAN|null|NULL|nil|undefined|NaT|<NA>)$`)

// namesNobody says whether a scope, text or bytes that are no UTF-8, names nobody.
func namesNobody(scope string) bool {
	if !utf8.ValidString(scope) {
		return false
	}
	visible := false
	for _, one := range scope {
		unseen := unicode.In(one, unicode.Z, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me)
		visible = visible || !unseen && !strings.ContainsRune("\u115f\u1160\u2800\u3164\uffa0", one)
	}
	return !visible || strings.ContainsRune(scope, 0) || missing.MatchString(strings.TrimSpace(scope))
}
