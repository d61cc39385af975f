package redisx

import "strings"

// slots is the number of hash slots of a Redis Cluster.
const slots = 16384

// Slot returns the Cluster hash slot of key: of the part between its first "{" and the next "}" when that part is not
// empty, else of the whole key. All keys of one script or transaction must share a slot. A single Redis and the
// embedded one do not notice when they do not, so tests of scripts compare the slots of their keys.
func Slot(key string) uint16 {
	if open := strings.IndexByte(key, '{'); open >= 0 {
		// "{}" names nothing: the whole key counts then, as the specification of Redis Cluster says.
		if n := strings.IndexByte(key[open+1:], '}'); n > 0 {
			key = key[open+1 : open+1+n]
		}
	}

	return crc16(key) % slots
}

// crc16 is the CRC-16/XMODEM of s: polynomial 0x1021, initial value 0.
func crc16(s string) uint16 {
	var crc uint16
	for i := range len(s) {
		crc ^= uint16(s[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}

	return crc
}
