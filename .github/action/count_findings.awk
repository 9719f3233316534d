# Counts the open findings in a JSON report: their number, the highest severity, and the number that report drift.
# Findings that are not listed, because of min-severity or for lack of room, are only in the summary. Notes that are
# not listed do not count.
BEGIN {
  count = split("note low medium high critical", names, " ")
  for (i = 1; i <= count; i++) rank[names[i]] = i
}
/^  "summary": \{/ { summary = 1 }
/^  \}/ { summary = 0 }
summary && /^    [^ }]/ { split($0, parts, "\""); of = parts[2] }
summary && /^      "/ {
  split($0, parts, /[":,]+/)
  if (of == "findings") total[parts[2]] += parts[3]
  if (of == "suppressed" || of == "unchanged" || of == "approved") total[parts[2]] -= parts[3]
}
/^  "findings": \[/ { inside = 1 }
/^  \]/ { inside = 0 }
inside && /^    \{/ { rule = severity = status = "" }
inside && /^      "rule": "/ { rule = value() }
inside && /^      "severity": "/ { severity = value() }
inside && /^      "status": "/ { status = value() }
inside && /^    \}/ && status == "open" {
  listed[severity]++
  if (rule ~ /^(drift-|lock-(stale|incomplete)$|binary-mismatch$)/) drift++
}
END {
  for (i = 1; i <= count; i++) {
    open = listed[names[i]] + 0
    if (i > 1 && total[names[i]] > open) open = total[names[i]]
    findings += open
    if (open > 0) worst = i
  }
  printf "%d %s %d\n", findings, worst ? names[worst] : "none", drift
}

# value returns the value of the member on this line.
function value(  parts) {
  split($0, parts, "\"")
  return parts[4]
}
