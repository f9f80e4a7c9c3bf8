# rfbench VERB --help | awk -v page=rfbench-VERB -v version=0.2.0 -v verbs="run plan ..." -f man_page.awk
# makes the help text a manual page.
function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}
function section(name) { print ".SH " name }

# "--threads INT:INT in [0 - 1024]": the option in bold, what it takes in italics.
function term(text,    first, rest) {
    first = text
    sub(/ .*/, "", first)
    rest = substr(text, length(first) + 2)
    gsub(/,/, ", ", first)
    print ".TP\n\\fB" escaped(first) "\\fR" (rest == "" ? "" : " \\fI" escaped(rest) "\\fR")
}

BEGIN {
    sections["Positionals:"] = "ARGUMENTS"
    sections["Options:"] = "OPTIONS"
    sections["Subcommands:"] = "COMMANDS"
}
NR == 1 {
    sub(/^rfbench: /, "")
    sub(/\.$/, "")
    print ".TH " toupper(escaped(page)) " 1 \"\" \"rfbench " version "\" \"User Commands\""
    section("NAME")
    print escaped(page) " \\- " escaped($0)
    next
}
/^Usage: / {
    section("SYNOPSIS")
    print "\\fBrfbench\\fR" escaped(substr($0, length("Usage: rfbench") + 1))
    next
}
$0 in sections { section(sections[$0]); next }
/^Exit codes: / { codes = substr($0, length("Exit codes: ") + 1); next }
codes != "" { codes = codes " " $0; next }
/^   / { sub(/^ +/, ""); print escaped($0); next }
/^  / {
    sub(/^ +/, "")
    end = match($0, /   *[^ ]/) ? RSTART - 1 : length($0)
    # An option that fills its column has one space behind it, as those within it are.
    if (match($0, /Excludes: (--[a-z-]+ )+/) && RSTART + RLENGTH <= end) end = RSTART + RLENGTH - 2
    text = substr($0, end + 1)
    sub(/^ +/, "", text)
    term(substr($0, 1, end))
    if (text != "") print escaped(text)
    next
}
/[^ ]/ { print escaped($0) }
END {
    section("EXIT STATUS")
    sub(/\.$/, "", codes)
    n = split(codes, list, /; */)
    for (i = 1; i <= n; ++i) {
        meaning = list[i]
        sub(/^[0-9]+ /, "", meaning)
        term(substr(list[i], 1, length(list[i]) - length(meaning) - 1))
        print escaped(meaning)
    }
    section("SEE ALSO")
    others = page == "rfbench" ? "" : "rfbench"
    n = split(verbs, list, " ")
    for (i = 1; i <= n; ++i)
        if (page != "rfbench-" list[i]) others = others " rfbench-" list[i]
    n = split(others, list, " ")
    for (i = 1; i <= n; ++i) print ".BR " escaped(list[i]) " (1)" (i < n ? "," : "")
}
