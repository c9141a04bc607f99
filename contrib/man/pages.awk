# pages.awk: makes a manual page of what generate-manual has written from the definition of a command line.
#
# Text becomes mdoc(7) as mandoc(1) wants it: a sentence a line, lines of at most 80 bytes, paragraphs by macro, examples
# as they are typed. The paragraphs "Exit status:", "Environment:" and "Files:" of the program's own description become
# sections with a line for each item (`NAME meaning; NAME meaning.`, or with commas), and the examples of all commands are put together
# in one more.

function flush_paragraph() {
  if (pending) { body = body ".Pp\n"; pending = 0 }
}

function put(text) { body = body text "\n" }

# A text in lines that begin with a sentence and have at most 80 bytes.
function fill(text,    words, count, i, line, word) {
  count = split(text, words, / +/)
  line = ""
  for (i = 1; i <= count; i++) {
    word = words[i]
    if (line != "" && length(line) + 1 + length(word) > 80) { put(guard(line)); line = word }
    else line = line == "" ? word : line " " word
    if (word ~ /[.!?]['")]?$/ && i < count && words[i + 1] ~ /^[A-Z'\/-]/) { put(guard(line)); line = "" }
  }
  if (line != "") put(guard(line))
}

# A line of text must not begin with what roff takes for a request.
function guard(line) { return line ~ /^[.']/ ? "\\&" line : line }

# Items between semicolons, as a list whose tags are the words before a blank or a comma and a blank.
function list(text,    items, count, i, at, result) {
  sub(/^[A-Z][a-z]*( [a-z]*)?: /, "", text)
  sub(/\.$/, "", text)
  if (text !~ /; /) gsub(/, /, "; ", text)
  result = ".Bl -tag -width Ds\n"
  count = split(text, items, /; /)
  for (i = 1; i <= count; i++) {
    at = index(items[i], " ")
    result = result ".It " substr(items[i], 1, at - 1) "\n" substr(items[i], at + 1) "\n"
  }
  return result ".El\n"
}

/^\.Sh "?EXIT STATUS/ { exit }
/^\.Nd / { gsub(/"/, ""); sub(/\.$/, "") }
/^\.Dd / { gsub(/"/, "") }
/^Exit (status|codes): / { exits = list($0); next }
/^Environment: / { variables = list($0); next }
/^Files: / { files = list($0); next }

/^  [^ ]/ {
  if (!literal) { put(".Bd -literal -offset indent"); literal = 1; pending = 0 }
  line = substr($0, 3)
  put(guard(line))
  if (line ~ /^citiesctl / || line ~ /^citiesd-sync /) examples = examples line "\n"
  next
}
literal { put(".Ed"); literal = 0 }

/^$/ || /^\.Pp$/ { pending = body !~ /\.Sh [A-Z]+\n$/; next }
/^\./ { pending = 0; put($0); next }
{ flush_paragraph(); fill($0) }

END {
  printf "%s", body
  if (variables) printf ".Sh ENVIRONMENT\n%s", variables
  if (files) printf ".Sh FILES\n%s", files
  if (exits) printf ".Sh EXIT STATUS\n%s", exits
  if (examples) printf ".Sh EXAMPLES\n.Bd -literal -offset indent\n%s.Ed\n", examples
}
