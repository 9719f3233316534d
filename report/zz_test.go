package report
import ("testing";"os")
func TestZZ(t *testing.T) {
	r := sample(t)
	Write(os.Stdout, os.Getenv("F"), r, Options{Rules: sampleRules(), Color: os.Getenv("C")!=""})
}
