package score

import "math"

// The functions in this file compute Clopper-Pearson bounds, which are exact for proportions of
// independent rows. Rows that share a template are not independent, so the true intervals are
// wider.

// atMost returns the upper confidence bound, at level 1-alpha, of a proportion, given k successes
// in n trials.
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

// interval returns the two-sided 95 % confidence interval.
func interval(k, n int) (low, high float64) {
	return 1 - atMost(n-k, n, 0.025), atMost(k, n, 0.025)
}

// cumulative returns the probability of at most k successes in n trials, for k < n and 0 < p < 1.
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
