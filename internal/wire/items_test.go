package wire

import (
	"fmt"
	"strings"
	"testing"
)

func TestItems(t *testing.T) {
	deep := strings.Repeat("[", 2*MaxDepth) + strings.Repeat("]", 2*MaxDepth)
	for _, c := range []struct{ in, want string }{
		{`{"a":1, "b" : "x,\"}:" ,"c":{"d":[1,{}]}}`, `"a"=1 "b"="x,\"}:" "c"={"d":[1,{}]}`},
		{` [ 1 ,"a:b",[2,3],{"c":4} ] 5`, `=1 ="a:b" =[2,3] ={"c":4}`},
		{`{"x":` + deep + `,"id":7}`, `"x"=` + deep + ` "id"=7`},
		{`{}`, ``},
		{`[]`, ``},
		{`7`, ``},
		{``, ``},
		{`{"a":1,"b":"`, `"a"=1`},
		{`{"a":1,"b":"\`, `"a"=1`},
		{`{"a":1,"b"`, `"a"=1`},
	} {
		var got []string
		for key, value := range Items([]byte(c.in)) {
			got = append(got, fmt.Sprintf("%s=%s", key, value))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%.80s\ngot  %.200s\nwant %.200s", c.in, got, c.want)
		}
	}
	for range Items([]byte(`[1,2]`)) {
		break
	}
}
