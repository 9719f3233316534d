package score

import "math"

// The bounds are those of Clopper and Pearson, which are exact for a share of
// independent rows. Rows that share a template are not independent, so the
// truth is wider.

// atMost returns the share below which the true one lies with a probability of
// at least 1-alpha, where k of n were seen.
func atMost(k, n int, alpha float64) float64 {
	if k >= n {
		return 1
	}
	low, high := 0.0, 1.0
	for range 60 {
		if mid := (low + high) / 2; cumulative(k, n, mid) > alpha {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// interval returns the two-sided interval of 95 %.
func interval(k, n int) (low, high float64) {
	return 1 - atMost(n-k, n, 0.025), atMost(k, n, 0.025)
}

// cumulative is the probability of at most k of n, for k < n and 0 < p < 1.
func cumulative(k, n int, p float64) float64 {
	sum := 0.0
	for i := range k + 1 {
		sum += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
