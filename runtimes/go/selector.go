package minleakdraw

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"unicode/utf8"
)

type layer struct{ size, seed, third, first, blocks, bits, table uint64 }

// Selector says which names are in blocks, as runtimes/selector.md says.
type Selector struct {
	data   []byte
	layers []layer
}

// OpenSelector reads the bytes of a file, and refuses a damaged or foreign one.
func OpenSelector(data []byte) (*Selector, error) {
	s, at, total, size := &Selector{data: data}, uint64(32), uint64(0), uint64(len(data))
	fits := size >= 97 && bytes.HasPrefix(data, []byte("selector\x00\x00\x00\x01"))
	if fits {
		digest := sha256.Sum256(data[:size-32])
		fits = bytes.Equal(digest[:], data[size-32:])
	}
	for fits && at != size {
		var f [6]uint64
		for i := 0; i < 6 && at+32 <= size; i++ {
			f[i] = uint64(binary.BigEndian.Uint32(data[at+4*uint64(i):]))
		}
		l := layer{f[0], f[1], f[2], f[3], f[4], f[5], at + 32}
		fits = l.third > 0 && l.bits >= 1 && l.bits <= 32 && l.blocks > 0 && l.blocks < 1<<l.bits && l.first == total
		fits = fits && l.size == at+64+(3*l.third*l.bits+7)/8 && l.size <= size
		s.layers, at, total = append(s.layers, l), l.size, total+l.blocks
	}
	if !fits {
		return nil, refused("the file must be a selector; got another one, or a damaged one")
	}
	return s, nil
}

// Find gives the block of a name; false if it is not listed: then ask by its prefix.
func (s *Selector) Find(name string) (uint64, bool) {
	for _, l := range s.layers {
		digest, value := sha256.Sum256(append(binary.BigEndian.AppendUint32(nil, uint32(l.seed)), name...)), uint64(0)
		for i := uint64(0); i < 3; i++ {
			bit := (binary.BigEndian.Uint64(digest[6*i:])>>16%l.third + i*l.third) * l.bits
			word := s.data[l.table+bit/8:]
			value ^= (uint64(word[0])<<32 | uint64(binary.BigEndian.Uint32(word[1:]))) >> (40 - l.bits - bit%8) & (1<<l.bits - 1)
		}
		if value < l.blocks && utf8.ValidString(name) {
			return l.first + value, true
		}
	}
	return 0, false
}
