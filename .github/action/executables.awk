# Prints the regular files of a commit that have the name of an executable in a lockfile. The input
# is the lockfile, followed by the output of git ls-tree -r. The names in the lockfile are relative
# to a project, which may be any directory.
BEGIN { FS = "\t" }
NR == FNR {
  if (!match($0, /^ *"executable": "\.\//)) next
  name = substr($0, RLENGTH + 1)
  sub(/",?\r?$/, "", name)
  names[name]
  next
}
/^100/ {
  rest = $2
  while (!(rest in names)) {
    slash = index(rest, "/")
    if (!slash) next
    rest = substr(rest, slash + 1)
  }
  print $2
}
