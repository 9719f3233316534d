package servers

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	// codeSuffixes are those of files that programs run or load as code. The files need not be
	// executable.
	codeSuffixes = " .bash .bat .cjs .class .cmd .cs .csx .cts .dll .exe .exs .fish .go .groovy .jar .java .jl .js .jsx .kts " +
		".lua .mjs .mts .php .phar .pl .ps1 .py .pyc .pyz .r .rb .rs .sh .swift .tcl .ts .tsx .wasm .zsh "
	// dataSuffixes are those of files that are not programs even if they are marked as executable, as all
	// files are on some file systems.
	dataSuffixes = " .cfg .conf .csv .db .env .ini .json .jsonc .jsonl .log .md .pem .sqlite .sqlite3 .toml .txt .xml .yaml .yml "
)

// beginnings are the first bytes of scripts, and of executable files for Linux, Windows, macOS and
// WebAssembly.
var beginnings = [...]string{"#!", "\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\x00asm"}

// isCode reports whether a program that is given the path of a file may run the file. A file that
// only holds data changes whenever a server writes to it, so it must not count as an executable.
func isCode(path string) bool {
	info, err := regular(path)
	if err != nil {
		return false
	}
	suffix := " " + strings.ToLower(filepath.Ext(path)) + " "
	return strings.Contains(codeSuffixes, suffix) || beginsLikeCode(path) || info.Mode()&0o111 != 0 && !strings.Contains(dataSuffixes, suffix)
}

// beginsLikeCode reports whether a file begins like a program or a script for an interpreter.
func beginsLikeCode(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // do not block if a pipe has replaced it
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	n, _ := io.ReadFull(f, head[:]) // a file may be shorter
	return slices.ContainsFunc(beginnings[:], func(beginning string) bool { return bytes.HasPrefix(head[:n], []byte(beginning)) })
}
