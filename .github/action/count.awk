# Counts the open findings in a JSON report: their number, the highest severity, and the number that report drift.
BEGIN {
  count = split("note low medium high critical", names, " ")
  for (i = 1; i <= count; i++) rank[names[i]] = i
}
/^  "findings": \[/ { inside = 1 }
/^  \]/ { inside = 0 }
inside && /^    \{/ { rule = severity = status = "" }
inside && /^      "rule": "/ { rule = value() }
inside && /^      "severity": "/ { severity = value() }
inside && /^      "status": "/ { status = value() }
inside && /^    \}/ && status == "open" {
  findings++
  if (rank[severity] > worst) worst = rank[severity]
  if (rule ~ /^(drift-|lock-(stale|incomplete)$|binary-mismatch$)/) drift++
}
END { printf "%d %s %d\n", findings, worst ? names[worst] : "none", drift }

# value returns the value of the member on this line.
function value(  parts) {
  split($0, parts, "\"")
  return parts[4]
}
