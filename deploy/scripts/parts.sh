# Sourced by scripts that run in parts: part NAME COMMAND... runs one and notes how long it took; table prints what was noted and
# forgets it.
PART_TIMES=${PART_TIMES:-$(mktemp)}

part() {
  local name=$1 began=$SECONDS code=0
  shift
  echo "== $name"
  "$@" || code=$?
  note "$name" "$((SECONDS - began))" "$([ "$code" = 0 ] && echo passed || echo FAILED)"
  return "$code"
}

# note NAME SECONDS RESULT adds a row.
note() { printf '%s\t%s\t%s\n' "$@" >>"$PART_TIMES"; }

table() {
  echo
  echo "seconds by part"
  awk -F'\t' '{ printf "  %-34s %6d  %s\n", $1, $2, $3 }' "$PART_TIMES"
  printf '  %-34s %6d\n' "from the start to the end" "$SECONDS"
  rm -f "$PART_TIMES"
}
