package learn

import (
	"maps"
	"slices"
	"sync"

	"github.com/mcpscan/mcpscan/internal/intent"
)

// NetOptions are the training options for the second stage.
type NetOptions struct {
	Passes   int
	Rate     float64
	Batch    int
	WordDrop uint32  // words dropped, per thousand
	Share    float64 // share of benign sentences that the net is trained on: those with the highest scores
	Honest   int     // maximum number of sentences from real servers and public corpora in each pass
	Known    int     // minimum number of groups in which a word must occur
	// Added contains the probabilities, per thousand, that sentences of other benign examples are
	// added to each sequence of an example: first those for benign examples, then those for
	// attacks. These added sentences teach the net to disregard harmless text that an attacker adds.
	Added    [2][intent.Sequences]uint32
	Positive float64 // weight of a sentence that carries an attack
	Twin     float64 // weight of a sentence in a twin
	Other    float64 // weight of a sentence from a real server or a public corpus
	Gain     float64 // factor of the net's logit in the sum of both stages
	Floor    float64 // logit assumed for a sentence that the net does not judge
}

// DefaultNet contains the options with which the embedded net is trained.
var DefaultNet = NetOptions{Passes: 6, Rate: 2e-3, Batch: 64, WordDrop: 100, Share: 0.25, Honest: 10000, Known: 3, Positive: 2, Twin: 2, Other: 1, Gain: 0.3, Floor: -4,
	Added: [2][intent.Sequences]uint32{
		{intent.OfSentence: 100, intent.OfAround: 250, intent.OfAbout: 100},
		{intent.OfSentence: 200, intent.OfAround: 500, intent.OfAbout: 300},
	}}

// FloorGain returns the gain for a sentence that the net does not judge.
func (o *NetOptions) FloorGain() intent.Score { return units(float64(o.Gain * o.Floor)) }

// Second adds to the word scores of each row the gain from nets trained without that row's part. It
// returns nets trained on all rows, and the scores above which the nets judge a sentence.
func Second(all []Scored, vectors map[uint32]*vector, o NetOptions) ([]intent.Net, [intent.Groups]intent.Score) {
	pass := passes(all, o.Share)
	parts := Parts(all)
	gains := make([][]intent.Score, len(all))
	nets := make([][]intent.Net, parts+1)
	var wg sync.WaitGroup
	work := make(chan int)
	for range 2 {
		wg.Go(func() {
			for k := range work {
				for member := range intent.NetCount {
					nets[k] = append(nets[k], trainNet(all, func(s *Scored) bool { return s.part == k }, pass, vectors, o, random(1+member)))
				}
				judge := intent.NewJudge(nets[k]...)
				for i := range all {
					if all[i].part == k {
						gains[i] = all[i].gains(judge, pass, o)
					}
				}
			}
		})
	}
	for k := range nets { // the last one is trained on everything
		work <- k
	}
	close(work)
	wg.Wait()
	for i := range all {
		for k := range all[i].words {
			all[i].words[k] += gains[i][k]
		}
	}
	return nets[parts], pass
}

// Parts returns the number of cross-validation parts.
func Parts(all []Scored) int {
	parts := 0
	for i := range all {
		parts = max(parts, all[i].part+1)
	}
	return parts
}

// gains returns the gain from the nets for each sentence of a row.
func (s *Scored) gains(judge intent.Judge, pass [intent.Groups]intent.Score, o NetOptions) (gains []intent.Score) {
	for _, t := range s.Texts {
		for _, sentence := range t.Sentences {
			gain := o.FloorGain()
			if s.words[len(gains)] > pass[t.Group] {
				gain = judge.Gain(sentence.Input)
			}
			gains = append(gains, gain)
		}
	}
	return gains
}

// passes returns, for each group, the score that the given share of the benign sentences in the
// sets exceeds.
func passes(all []Scored, share float64) (pass [intent.Groups]intent.Score) {
	var scores [intent.Groups][]intent.Score
	for i := range all {
		s := &all[i]
		if s.Real || s.Public || s.Attack() {
			continue
		}
		scores[s.groupOf()] = append(scores[s.groupOf()], s.words...)
	}
	for g := range pass {
		pass[g] = above(scores[g], int(share*float64(len(scores[g]))))
	}
	return pass
}

// trainNet trains a net on the rows that are not held out, with the given random seed.
func trainNet(all []Scored, heldOut func(*Scored) bool, pass [intent.Groups]intent.Score, vectors map[uint32]*vector, o NetOptions, seed random) intent.Net {
	chosen, others := netRows(all, heldOut, pass, o)
	known := netVocabulary(chosen, o.Known)
	ids := &wordTable{known: known, vectors: vectors, ids: map[intent.Word]int32{}, seen: map[intent.SentenceID][]int32{}}
	sets, rest := ids.inputs(chosen), ids.inputs(others)
	n := newTrainee(len(known), ids.words, seed)
	add := newAdditions(sets, rest, o)
	var p trace
	for k := range o.Passes {
		shuffle(rest, &n.random)
		batch := append(slices.Clone(sets), rest[:min(o.Honest, len(rest))]...)
		shuffle(batch, &n.random)
		rate := float64(o.Rate * (1 - float64(0.85*float64(k)/float64(o.Passes))))
		for len(batch) > 0 {
			now := batch[:min(o.Batch, len(batch))]
			batch = batch[len(now):]
			for _, in := range now {
				in := add.to(in, &n.random)
				g := float64((sigmoid(n.forward(&in, &p, &o)) - in.label) * in.weight)
				n.backward(&p, float32(g/float64(len(now))))
			}
			n.update(rate)
		}
	}
	return n.encode(known, vectors, o)
}

// netRow is a sentence to train on.
type netRow struct {
	group         string
	input         intent.Input
	label, weight float64
}

// netRows returns the sentences that carry attacks, and the benign sentences with scores above the
// thresholds in pass. others contains the sentences of real servers and public corpora, without
// duplicates within a package or source; sets contains all other sentences.
func netRows(all []Scored, heldOut func(*Scored) bool, pass [intent.Groups]intent.Score, o NetOptions) (sets, others []netRow) {
	said := map[uint32]bool{}
	for i := range all {
		s := &all[i]
		if heldOut(s) {
			continue
		}
		k := 0
		for _, t := range s.Texts {
			for _, sentence := range t.Sentences {
				score := s.words[k]
				k++
				r := netRow{group: s.group(), input: sentence.Input, weight: 1}
				switch {
				case s.Attack() && !sentence.InSpan || !s.Attack() && score <= pass[t.Group]:
					continue
				case s.Attack():
					r.label, r.weight = 1, o.Positive
				case s.Pair != "":
					r.weight = o.Twin
				}
				if !s.Real && !s.Public {
					sets = append(sets, r)
					continue
				}
				id := hash(s.Set)
				for _, w := range r.input.Sentence.All {
					id = (id ^ w[0]) * 16777619
				}
				if !said[id] {
					said[id] = true
					r.weight = o.Other
					others = append(others, r)
				}
			}
		}
	}
	return sets, others
}

// netVocabulary numbers the forms and stems that occur in enough groups, in key order.
func netVocabulary(rows []netRow, least int) map[uint32]int32 {
	type occurrence struct {
		groups int
		last   string
	}
	seen := map[uint32]occurrence{}
	for _, r := range rows {
		for _, w := range r.input.Sentence.All {
			for _, key := range w {
				if o := seen[key]; key != 0 && o.last != r.group {
					seen[key] = occurrence{o.groups + 1, r.group}
				}
			}
		}
	}
	known := map[uint32]int32{}
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		if seen[key].groups >= least {
			known[key] = int32(len(known))
		}
	}
	return known
}

// wordTable assigns numbers to the words of sentences.
type wordTable struct {
	known   map[uint32]int32
	vectors map[uint32]*vector
	ids     map[intent.Word]int32
	words   []word
	seen    map[intent.SentenceID][]int32
}

// sentence returns the numbers of the words of a sentence.
func (t *wordTable) sentence(words intent.Words) []int32 {
	numbers, ok := t.seen[words.ID]
	if !ok {
		numbers = t.numbers(words.All)
		t.seen[words.ID] = numbers
	}
	return numbers
}

func (t *wordTable) numbers(words []intent.Word) (numbers []int32) {
	for _, word := range words {
		numbers = append(numbers, t.id(word))
	}
	return numbers
}

func (t *wordTable) inputs(rows []netRow) []*netInput {
	var all []*netInput
	for _, r := range rows {
		in := &netInput{label: r.label, weight: r.weight}
		in.sentences[intent.OfSentence] = [][]int32{t.sentence(r.input.Sentence)}
		for _, words := range r.input.Around {
			in.sentences[intent.OfAround] = append(in.sentences[intent.OfAround], t.sentence(words))
		}
		in.sentences[intent.OfAbout] = [][]int32{t.numbers(r.input.About)}
		for k, v := range r.input.Context {
			in.context[k] = float32(v) / 16
		}
		all = append(all, in)
	}
	return all
}

func (t *wordTable) id(keys intent.Word) int32 {
	i, ok := t.ids[keys]
	if !ok {
		w := word{published: t.vectors[keys[0]], own: [2]int32{-1, -1}}
		for k, key := range keys {
			if of, ok := t.known[key]; ok {
				w.own[k] = of
			}
		}
		i = int32(len(t.words))
		t.ids[keys], t.words = i, append(t.words, w)
	}
	return i
}

// encode returns the net with its weights converted to integers. The weights and the bias of the
// output are multiplied by Gain.
func (n *trainee) encode(known map[uint32]int32, vectors map[uint32]*vector, o NetOptions) intent.Net {
	var l intent.Layers
	for w := range n.filters {
		size := (w + 1) * intent.Dims
		for f := range intent.Filters {
			for _, v := range n.filters[w].value[f*size:][:size] {
				l.Filters[w][f] = append(l.Filters[w][f], intent.FilterWeight(v))
			}
			l.Biases[w][f] = intent.FilterBias(n.biases[w].value[f])
		}
	}
	gain := float32(o.Gain)
	for h := range l.Dense {
		for k := range l.Dense[h] {
			l.Dense[h][k] = intent.DenseWeight(n.dense.value[h*inputs+k])
		}
		l.Bias[h] = intent.DenseBias(n.bias.value[h])
		l.Out[h] = intent.DenseWeight(float32(n.out.value[h] * gain))
	}
	l.OutBias = intent.OutBias(float32(n.outBias.value[0] * gain))
	table := make(map[uint32][intent.Dims]float32, len(known)+len(vectors))
	for key, v := range vectors {
		table[key] = n.read(&word{published: v, own: [2]int32{-1, -1}})
	}
	for key, i := range known {
		table[key] = n.read(&word{published: vectors[key], own: [2]int32{i, -1}})
	}
	return intent.EncodeNet(&l, table)
}
