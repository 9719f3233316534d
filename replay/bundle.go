package replay

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Bounds on reading a bundle: a small zip may expand to a very large file.
const (
	maxBundleFiles = 256
	maxBundleFile  = 16 << 20
	maxBundle      = 64 << 20
	maxManifests   = 8 // programs differ in which manifest they read; a legitimate bundle has one
)

// Manifests returns the manifests in an MCPB bundle, or the file itself if it is a manifest, so
// that the commands in them can be inspected.
func Manifests(data []byte) (manifests [][]byte) {
	if !isZip(data) {
		var doc wire.Doc
		if doc.Parse(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))) == nil && doc.Kind(0) == wire.Object && isManifest(&doc) {
			return [][]byte{data}
		}
		return nil
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	for _, f := range z.File {
		if bundleName(f.Name) != manifestName || len(manifests) == maxManifests {
			continue
		}
		if content, err := readZipped(f, maxBundleFile); err == nil {
			manifests = append(manifests, content)
		}
	}
	return manifests
}

const manifestName = "manifest.json"

// translations holds the paths of the translations in a bundle: the paths defined by the format,
// and the paths named by the bundle's manifests.
type translations []string

func translationsOf(data []byte) translations {
	places := translations{"mcpb-resources/${locale}.json"}
	for _, m := range Manifests(data) {
		var doc wire.Doc
		if doc.Parse(bytes.TrimPrefix(m, []byte("\xEF\xBB\xBF"))) != nil {
			continue
		}
		if named, ok := doc.Str(doc.Get(0, "localization"), "resources"); ok && named != "" {
			places = append(places, bundleName(named))
		}
	}
	return places
}

// has reports whether a file is a translation.
func (t translations) has(file string) bool {
	for i, place := range t {
		before, after, several := strings.Cut(place, "${locale}")
		if file == place || several && len(file) > len(before)+len(after) && strings.HasPrefix(file, before) && strings.HasSuffix(file, after) ||
			i == 0 && strings.HasPrefix(file, "mcpb-resources/") && strings.HasSuffix(file, ".json") {
			return true
		}
	}
	return false
}

// bundle reads an MCPB bundle's manifest and its translations, because the text may differ by
// language. Other files are only counted.
func bundle(name string, data []byte) ([]*scanner.Event, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: reading the bundle: %w: %w", name, ErrBundle, err)
	}
	var events []*scanner.Event
	seen := map[string]bool{}
	texts, code := translationsOf(data), 0
	manifest, files, left := false, 0, int64(maxBundle)
	for _, f := range z.File {
		file := bundleName(f.Name)
		isManifest := file == manifestName
		if !isManifest && !texts.has(file) {
			if !f.FileInfo().IsDir() {
				code++
			}
			continue
		}
		if seen[file] {
			events = append(events, skipped(name, 1, "the bundle contains a second %s: clients differ in which one they read", file))
		}
		seen[file] = true
		first := isManifest && !manifest // read regardless of its position
		manifest = manifest || isManifest
		if files++; files > maxBundleFiles && !first {
			if files == maxBundleFiles+1 {
				events = append(events, skipped(name, 1, "the bundle contains more than %d manifests and translations", maxBundleFiles))
			}
			continue
		}
		content, err := readZipped(f, min(left, maxBundleFile))
		left -= int64(len(content))
		if err != nil {
			events = append(events, skipped(name, 1, "a file in the bundle was not read: %v", err))
			continue
		}
		events = append(events, bundled(name, content, isManifest)...)
	}
	if !manifest {
		return nil, fmt.Errorf("%s: %w: the zip contains no manifest.json, so it is not an MCPB bundle", name, ErrNotDefinitions)
	}
	return append(events, unreadIn(name, texts, seen, code)...), nil
}

// unreadIn reports missing translations and the number of other files.
func unreadIn(name string, texts translations, seen map[string]bool, code int) (events []*scanner.Event) {
	for _, place := range texts[1:] {
		any := false
		for file := range seen {
			any = any || translations{"", place}.has(file)
		}
		if !any {
			events = append(events, skipped(name, 1, "the manifest lists translations at %q, but the bundle contains no such file", place))
		}
	}
	if code > 0 {
		events = append(events, &scanner.Event{Kind: scanner.IgnoredEvent, Origin: scanner.Origin{File: name, Line: 1, Column: 1},
			Reason: fmt.Sprintf("code in a bundle: mcpscan reads only the manifest and its translations, not the other files (%d)", code)})
	}
	return events
}

// isZip recognises a zip. The zip may be truncated, or have leading data, which programs accept
// because the directory is at the end.
func isZip(data []byte) bool {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06")) {
		return true
	}
	const tail = 22 + 1<<16 // the end record with the longest comment
	return !utf8.Valid(data) && (bytes.Contains(data[max(0, len(data)-tail):], []byte("PK\x05\x06")) || bytes.Contains(data[:min(len(data), tail)], []byte("PK\x03\x04")))
}

// bundleName returns the path to which a zip entry unpacks on a system that ignores case and
// accepts both slashes.
func bundleName(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	return strings.ToLower(strings.TrimPrefix(name, "/"))
}

func bundled(name string, content []byte, isManifest bool) []*scanner.Event {
	var doc wire.Doc
	if err := doc.Parse(bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))); err != nil {
		return []*scanner.Event{skipped(name, 1, "a JSON file in the bundle does not parse: %v", err)}
	}
	nodes := []int{0}
	if isManifest {
		nodes = append(nodes, staticResponses(&doc)...)
	}
	at := scanner.NewPlaces(name, doc.Data)
	var events []*scanner.Event
	for _, n := range nodes {
		e := definitionEvent(at, name, serverName(&doc, name), &doc, n)
		e.Origin = scanner.Origin{File: name, Line: 1, Column: 1} // lines have no meaning inside a zip
		events = append(events, e)
	}
	return events
}

// readZipped reads one file. Data may be returned together with an error.
func readZipped(f *zip.File, limit int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("it is larger than %d MiB, or all files together are larger than %d MiB", maxBundleFile>>20, maxBundle>>20)
	}
	return content, err
}
