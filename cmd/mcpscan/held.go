package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/text"
)

type heldCmd struct {
	List  heldListCmd  `cmd:"" help:"List the messages that proxies hold for approval."`
	Allow heldAllowCmd `cmd:"" help:"Let a held message pass once."`
	Deny  heldDenyCmd  `cmd:"" help:"Refuse a held message."`
}

// Each held message is stored in a file, ID.json, in a directory to which only the user can write. To
// answer, a process renames the file to ID.allow or ID.deny; if several try, only one succeeds. The
// proxy takes the answer by removing the file. If it does not, because it was killed, the process
// removes it. While the proxy holds the message, it locks ID.lock; if it is killed, the kernel releases
// the lock.
const (
	heldAsked   = ".json"
	heldAllowed = ".allow"
	heldDenied  = ".deny"
	heldLock    = ".lock"

	maxHeldFile = 8 << 20                // maximum size of such a file, in bytes
	maxListed   = 1000                   // maximum number of files read
	heldPoll    = 100 * time.Millisecond // how often a proxy checks for the answer
	heldTaken   = 3 * time.Second        // how long to wait until a proxy takes the answer
)

// heldDir returns the directory of held messages.
func heldDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a directory for held messages: %w", err)
	}
	return filepath.Join(cache, "mcpscan", "held"), nil
}

// makeHeldDir creates the directory of held messages and returns it. It rejects a directory that
// other users can write to, because they could approve held messages.
func makeHeldDir() (string, error) {
	dir, err := heldDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return "", fmt.Errorf("%s: expected a directory that others cannot write to, with mode 0700", dir)
	}
	return dir, nil
}

// heldMessage is the content of a held message's file.
type heldMessage struct {
	ID       string                  `json:"id"`
	Until    time.Time               `json:"until"`
	Server   string                  `json:"server"`
	Asks     string                  `json:"asks"`
	Messages []proxy.QuestionMessage `json:"messages"`
	More     int                     `json:"more"`
	Reason   string                  `json:"reason"`
}

// askByFile waits for an answer from whoever runs mcpscan held, until ctx is done. It calls the
// function tell with the command that allows the message.
func askByFile(ctx context.Context, q *proxy.Question, tell func(string, ...any)) (allowed, answered bool) {
	dir, err := makeHeldDir()
	if err != nil {
		tell("cannot ask for approval of %s: %s", q, text.Visible(err.Error(), 400))
		return false, false
	}
	id := strings.ToLower(rand.Text()[:8])
	name := filepath.Join(dir, id)
	until, _ := ctx.Deadline()
	question, err := json.Marshal(heldMessage{id, until.UTC(), q.Server, q.Asks, q.Messages, q.More, q.Reason})
	lock := flock.New(name + heldLock)
	defer os.Remove(name + heldLock)
	defer lock.Close()
	_, _ = lock.TryLock() // if the system cannot lock, isHeld reports true
	if err == nil {
		err = os.WriteFile(name+heldAsked, append(question, '\n'), 0o600)
	}
	if err != nil {
		tell("cannot ask for approval of %s: %s", q, text.Visible(err.Error(), 400))
		return false, false
	}
	defer os.Remove(name + heldAsked)
	tell("holding %s until %s; to allow it, run mcpscan held allow %s", q, until.Format(time.TimeOnly), id)
	poll := time.NewTicker(heldPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, false
		case <-poll.C:
		}
		for _, ending := range []string{heldDenied, heldAllowed} {
			if os.Remove(name+ending) == nil {
				return ending == heldAllowed, true
			}
		}
	}
}

// readHeld returns the waiting messages, earliest deadline first, and removes those left behind by
// killed proxies.
func readHeld(dir string, now time.Time) (messages []heldMessage) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // usually, the directory does not exist yet
	}
	for _, entry := range entries[:min(len(entries), maxListed)] {
		name := filepath.Join(dir, entry.Name())
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxHeldFile {
			continue
		}
		ending := filepath.Ext(name)
		without := strings.TrimSuffix(name, ending)
		switch {
		case ending != heldAsked && now.Sub(info.ModTime()) < time.Hour: // may belong to a message that is not complete yet
		case !isHeld(without):
			_ = os.Remove(name)
			_ = os.Remove(without + heldLock)
		case ending == heldAsked:
			if m, ok := parseHeld(filepath.Base(without), name); ok && !now.After(m.Until) {
				messages = append(messages, m)
			}
		}
	}
	slices.SortFunc(messages, func(a, b heldMessage) int { return a.Until.Compare(b.Until) })
	return messages
}

// isHeld reports whether a proxy holds a message. name is the path of the message's files, without their
// endings.
func isHeld(name string) bool {
	lock := flock.New(name+heldLock, flock.SetFlag(os.O_RDWR)) // without creating it
	defer lock.Close()
	taken, err := lock.TryLock()
	return !taken && !errors.Is(err, fs.ErrNotExist)
}

func parseHeld(id, name string) (m heldMessage, ok bool) {
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &m) != nil {
		return m, false
	}
	m.ID = id
	return m, !m.Until.IsZero()
}

type heldListCmd struct {
	JSON bool `help:"Write JSON instead of text."`
}

// Run lists the held messages.
func (c *heldListCmd) Run(std streams) error {
	dir, err := heldDir()
	if err != nil {
		return err
	}
	messages := readHeld(dir, time.Now())
	if c.JSON {
		return writeJSON(std.out, messages)
	}
	var b strings.Builder
	for i := range messages {
		messages[i].write(&b)
	}
	if len(messages) == 0 {
		b.WriteString("No message is waiting for approval.\n")
	}
	return put(text.Guard(std.out), []byte(b.String()))
}

// listedChars is the maximum number of characters that the text output of held list shows of a message's
// arguments, and of its other members.
const listedChars = 2000

// write describes a held message to the user who decides about it.
func (m *heldMessage) write(b *strings.Builder) {
	from := "to the server"
	if m.Asks == "server" {
		from = "from the server"
	}
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(b, "  %-10s %s\n", label, proxy.Excerpt(text.Mask(value), listedChars))
			if utf8.RuneCountInString(value) > listedChars {
				fmt.Fprintf(b, "  %-10s (mcpscan held list --json shows more)\n", "")
			}
		}
	}
	fmt.Fprintf(b, "%s, until %s: %s %s\n", text.Visible(m.ID, 100), m.Until.Local().Format(time.TimeOnly), from, text.Visible(m.Server, 200))
	line("reason", m.Reason)
	for i := range m.Messages {
		line("message", m.Messages[i].String())
		line("arguments", m.Messages[i].Arguments)
		line("other", m.Messages[i].Other)
	}
	if m.More > 0 {
		line("batch", fmt.Sprintf("%d more messages, which need no approval", m.More))
	}
}

type heldAllowCmd struct {
	ID string `arg:"" help:"ID of the message, as listed by mcpscan held list."`
}

// Run lets a message pass.
func (c *heldAllowCmd) Run() error { return answerHeld(c.ID, heldAllowed) }

type heldDenyCmd struct {
	ID string `arg:"" help:"ID of the message, as listed by mcpscan held list."`
}

// Run refuses a message.
func (c *heldDenyCmd) Run() error { return answerHeld(c.ID, heldDenied) }

// answerHeld allows or denies a held message. It fails if no proxy takes the answer.
func answerHeld(id, ending string) error {
	dir, err := heldDir()
	if err != nil {
		return err
	}
	waits := slices.ContainsFunc(readHeld(dir, time.Now()), func(m heldMessage) bool { return m.ID == id })
	asked, answer := filepath.Join(dir, id+heldAsked), filepath.Join(dir, id+ending)
	if !waits || os.Rename(asked, answer) != nil || !taken(answer) {
		return usage("message %s is no longer waiting; to list the waiting messages: mcpscan held list", text.Visible(id, 100))
	}
	return nil
}

// taken reports whether a proxy takes an answer, and otherwise removes it.
func taken(answer string) bool {
	for end := time.Now().Add(heldTaken); time.Now().Before(end); time.Sleep(heldPoll / 5) {
		if _, err := os.Lstat(answer); errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return errors.Is(os.Remove(answer), fs.ErrNotExist)
}
