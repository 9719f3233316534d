package scanner

import "slices"

// queue holds the last items of a sequence in one reused array.
type queue[T any] struct {
	buf  []T
	head int
}

// all returns the items of the queue in order.
func (q *queue[T]) all() []T { return q.buf[q.head:] }

// drop removes the first item.
func (q *queue[T]) drop() {
	if q.head++; q.head == len(q.buf) { // start over in memory that may still be in the CPU cache
		q.buf, q.head = q.buf[:0], 0
	}
}

func (q *queue[T]) remove(i int) {
	of := q.all()
	copy(of[1:i+1], of[:i])
	q.head++
}

// clip frees the part of the array that holds no items.
func (q *queue[T]) clip() {
	if cap(q.buf) > len(q.all()) {
		q.buf, q.head = append([]T(nil), q.all()...), 0
	}
}

// insert inserts x before the first item for which later returns true. If the queue would then
// exceed the maximum number of items (most), the first one, which may be x, is dropped.
func (q *queue[T]) insert(x T, most int, later func(T) bool) {
	if len(q.all()) >= most {
		if later(q.all()[0]) {
			return
		}
		q.head++
	}
	if len(q.buf) == cap(q.buf) && q.head > len(q.buf)/4 { // rarely enough to be cheap, and often enough to keep the array small
		q.buf, q.head = q.buf[:copy(q.buf, q.all())], 0
	}
	i := len(q.buf)
	for i > q.head && later(q.buf[i-1]) {
		i--
	}
	if i == len(q.buf) {
		q.buf = append(q.buf, x)
	} else {
		q.buf = slices.Insert(q.buf, i, x)
	}
}
