# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_simdup_global_optspecs
    string join \n h/help V/version
end

function __fish_simdup_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_simdup_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_simdup_using_subcommand
    set -l cmd (__fish_simdup_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c simdup -n "__fish_simdup_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simdup -n "__fish_simdup_needs_command" -s V -l version -d 'Print version'
complete -c simdup -n "__fish_simdup_needs_command" -f -a "scan" -d 'Find the near-duplicates among files'
complete -c simdup -n "__fish_simdup_needs_command" -f -a "check" -d 'Fail when there are new near-duplicates: the gate for CI'
complete -c simdup -n "__fish_simdup_needs_command" -f -a "compare" -d 'Tell how alike two files are'
complete -c simdup -n "__fish_simdup_needs_command" -f -a "fingerprint" -d 'Print the fingerprints of files'
complete -c simdup -n "__fish_simdup_needs_command" -f -a "completions" -d 'Print the completion script of a shell'
complete -c simdup -n "__fish_simdup_needs_command" -f -a "man" -d 'Print the manual page'
complete -c simdup -n "__fish_simdup_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l files-from -d 'Read more paths from a list, one a line; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l files0-from -d 'Read more paths from a list, a NUL after each; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s g -l glob -d 'Take only files that match the glob, or with ! before it, only those that do not' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l max-depth -d 'Descend at most N folders; 0 takes the PATHs alone' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l min-size -d 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l max-size -d 'Leave out files larger than N bytes; K, M and G stand for powers of 1024' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l binary -d 'What becomes of binary files (those with a NUL byte)' -r -f -a "skip\t'Left out'
exact\t'Compared byte for byte'
text\t'Treated as text'"
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l encoding -d 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l features -d 'What documents are compared by: words, word:N, char:N or classic' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l min-features -d 'A document with fewer features is too short to judge' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s k -l distance -d 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s s -l similarity -d 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l reference -d 'Files below PATH are known: pairs inside are not reported; may be given several times' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l from-fingerprints -d 'Read what `simdup fingerprint` printed instead of files; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l link -d 'How pairs join into groups' -r -f -a "single\t'Every two members are connected by a chain of pairs'
complete\t'Every two members are a pair'"
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l sort -d 'Order of the pairs; all but path collect them first' -r -f -a "path\t'By path'
distance\t'Nearest first, then by path'
similarity\t'Most similar first, then by path'"
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l max-pairs -d 'Report only the first N pairs' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l format -d 'Format of the report' -r -f -a "text\t'A line a pair'
json\t'One JSON object'
jsonl\t'A JSON object a line'
csv\t'A table for spreadsheets (RFC 4180)'
markdown\t'A table for a comment on a pull request'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations in GitHub Actions'
gitlab\t'GitLab\'s code quality report'
junit\t'JUnit XML, for test results'"
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s o -l output -d 'Write the report to FILE, whole or not at all; - is standard output' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s j -l threads -d 'Number of threads; 0 stands for as many as the machine has' -r
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l color -d 'Colour the text report; NO_COLOR is honoured' -r -f -a "auto\t'Where a terminal shows it'
always\t'In any case'
never\t'Never'"
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l progress -d 'Show the progress on standard error' -r -f -a "auto\t'Where a terminal shows it'
always\t'In any case'
never\t'Never'"
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s H -l hidden -d 'Take hidden files and folders too'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l no-ignore -d 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s u -d 'Like --no-ignore; -uu: like --no-ignore --hidden'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s L -l follow -d 'Follow symbolic links'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l one-file-system -d 'Stay on the file system of each PATH'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l no-verify -d 'Leave out the verified similarity'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l groups -d 'Report groups instead of pairs'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s 0 -l null -d 'Text with raw names and NUL after each field'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s q -l quiet -d 'No summary, no warnings; errors are still told'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s v -l verbose -d 'Tell which choices were made and why, and every warning'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -l no-config -d 'Do not read simdup.toml'
complete -c simdup -n "__fish_simdup_using_subcommand scan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simdup -n "__fish_simdup_using_subcommand check" -l baseline -d 'The known pairs [default: simdup-baseline.json, if there is one]' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -l changed-since -d 'Judge only pairs with a file that has changed since the revision REV parted from HEAD' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l changed -d 'Judge only pairs with one of these files; takes all arguments up to the next option' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -l changed-from -d 'Judge only pairs with a file of this list, a line or a NUL each; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -l max-new -d 'Accept up to N new pairs [default: 0]' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l files-from -d 'Read more paths from a list, one a line; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -l files0-from -d 'Read more paths from a list, a NUL after each; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -s g -l glob -d 'Take only files that match the glob, or with ! before it, only those that do not' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l max-depth -d 'Descend at most N folders; 0 takes the PATHs alone' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l min-size -d 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l max-size -d 'Leave out files larger than N bytes; K, M and G stand for powers of 1024' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l binary -d 'What becomes of binary files (those with a NUL byte)' -r -f -a "skip\t'Left out'
exact\t'Compared byte for byte'
text\t'Treated as text'"
complete -c simdup -n "__fish_simdup_using_subcommand check" -l encoding -d 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l features -d 'What documents are compared by: words, word:N, char:N or classic' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l min-features -d 'A document with fewer features is too short to judge' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -s k -l distance -d 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -s s -l similarity -d 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l reference -d 'Files below PATH are known: pairs inside are not reported; may be given several times' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -l from-fingerprints -d 'Read what `simdup fingerprint` printed instead of files; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -l link -d 'How pairs join into groups' -r -f -a "single\t'Every two members are connected by a chain of pairs'
complete\t'Every two members are a pair'"
complete -c simdup -n "__fish_simdup_using_subcommand check" -l sort -d 'Order of the pairs; all but path collect them first' -r -f -a "path\t'By path'
distance\t'Nearest first, then by path'
similarity\t'Most similar first, then by path'"
complete -c simdup -n "__fish_simdup_using_subcommand check" -l max-pairs -d 'Report only the first N pairs' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l format -d 'Format of the report' -r -f -a "text\t'A line a pair'
json\t'One JSON object'
jsonl\t'A JSON object a line'
csv\t'A table for spreadsheets (RFC 4180)'
markdown\t'A table for a comment on a pull request'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations in GitHub Actions'
gitlab\t'GitLab\'s code quality report'
junit\t'JUnit XML, for test results'"
complete -c simdup -n "__fish_simdup_using_subcommand check" -s o -l output -d 'Write the report to FILE, whole or not at all; - is standard output' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand check" -s j -l threads -d 'Number of threads; 0 stands for as many as the machine has' -r
complete -c simdup -n "__fish_simdup_using_subcommand check" -l color -d 'Colour the text report; NO_COLOR is honoured' -r -f -a "auto\t'Where a terminal shows it'
always\t'In any case'
never\t'Never'"
complete -c simdup -n "__fish_simdup_using_subcommand check" -l progress -d 'Show the progress on standard error' -r -f -a "auto\t'Where a terminal shows it'
always\t'In any case'
never\t'Never'"
complete -c simdup -n "__fish_simdup_using_subcommand check" -l update-baseline -d 'Write the baseline: what is there now is known from now on'
complete -c simdup -n "__fish_simdup_using_subcommand check" -s H -l hidden -d 'Take hidden files and folders too'
complete -c simdup -n "__fish_simdup_using_subcommand check" -l no-ignore -d 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)'
complete -c simdup -n "__fish_simdup_using_subcommand check" -s u -d 'Like --no-ignore; -uu: like --no-ignore --hidden'
complete -c simdup -n "__fish_simdup_using_subcommand check" -s L -l follow -d 'Follow symbolic links'
complete -c simdup -n "__fish_simdup_using_subcommand check" -l one-file-system -d 'Stay on the file system of each PATH'
complete -c simdup -n "__fish_simdup_using_subcommand check" -l no-verify -d 'Leave out the verified similarity'
complete -c simdup -n "__fish_simdup_using_subcommand check" -l groups -d 'Report groups instead of pairs'
complete -c simdup -n "__fish_simdup_using_subcommand check" -s 0 -l null -d 'Text with raw names and NUL after each field'
complete -c simdup -n "__fish_simdup_using_subcommand check" -s q -l quiet -d 'No summary, no warnings; errors are still told'
complete -c simdup -n "__fish_simdup_using_subcommand check" -s v -l verbose -d 'Tell which choices were made and why, and every warning'
complete -c simdup -n "__fish_simdup_using_subcommand check" -l no-config -d 'Do not read simdup.toml'
complete -c simdup -n "__fish_simdup_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simdup -n "__fish_simdup_using_subcommand compare" -l features -d 'What documents are compared by: words, word:N, char:N or classic' -r
complete -c simdup -n "__fish_simdup_using_subcommand compare" -l encoding -d 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8' -r
complete -c simdup -n "__fish_simdup_using_subcommand compare" -l format -d 'Format of the report' -r -f -a "text\t'A figure a line'
json\t'One JSON object'"
complete -c simdup -n "__fish_simdup_using_subcommand compare" -s o -l output -d 'Write the report to FILE, whole or not at all; - is standard output' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand compare" -l color -d 'Colour the diff; NO_COLOR is honoured' -r -f -a "auto\t'Where a terminal shows it'
always\t'In any case'
never\t'Never'"
complete -c simdup -n "__fish_simdup_using_subcommand compare" -l text -d 'Treat binary files (those with a NUL byte) as text'
complete -c simdup -n "__fish_simdup_using_subcommand compare" -l diff -d 'Show the lines that differ, too'
complete -c simdup -n "__fish_simdup_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l files-from -d 'Read more paths from a list, one a line; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l files0-from -d 'Read more paths from a list, a NUL after each; - is standard input' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s g -l glob -d 'Take only files that match the glob, or with ! before it, only those that do not' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l max-depth -d 'Descend at most N folders; 0 takes the PATHs alone' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l min-size -d 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l max-size -d 'Leave out files larger than N bytes; K, M and G stand for powers of 1024' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l binary -d 'What becomes of binary files (those with a NUL byte)' -r -f -a "skip\t'Left out'
exact\t'Compared byte for byte'
text\t'Treated as text'"
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l encoding -d 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l features -d 'What documents are compared by: words, word:N, char:N or classic' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l min-features -d 'A document with fewer features is too short to judge' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l format -d 'Format of the report' -r -f -a "text\t'A line a document'
jsonl\t'A JSON object a line'"
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s o -l output -d 'Write the report to FILE, whole or not at all; - is standard output' -r -F
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s j -l threads -d 'Number of threads; 0 stands for as many as the machine has' -r
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l color -d 'Colour the text report; NO_COLOR is honoured' -r -f -a "auto\t'Where a terminal shows it'
always\t'In any case'
never\t'Never'"
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l progress -d 'Show the progress on standard error' -r -f -a "auto\t'Where a terminal shows it'
always\t'In any case'
never\t'Never'"
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s H -l hidden -d 'Take hidden files and folders too'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l no-ignore -d 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s u -d 'Like --no-ignore; -uu: like --no-ignore --hidden'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s L -l follow -d 'Follow symbolic links'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -l one-file-system -d 'Stay on the file system of each PATH'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s 0 -l null -d 'Text with raw names and NUL after each field'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s q -l quiet -d 'No summary, no warnings; errors are still told'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s v -l verbose -d 'Tell which choices were made and why, and every warning'
complete -c simdup -n "__fish_simdup_using_subcommand fingerprint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simdup -n "__fish_simdup_using_subcommand completions" -s h -l help -d 'Print help'
complete -c simdup -n "__fish_simdup_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simdup -n "__fish_simdup_using_subcommand help; and not __fish_seen_subcommand_from scan check compare fingerprint completions man help" -f -a "scan" -d 'Find the near-duplicates among files'
complete -c simdup -n "__fish_simdup_using_subcommand help; and not __fish_seen_subcommand_from scan check compare fingerprint completions man help" -f -a "check" -d 'Fail when there are new near-duplicates: the gate for CI'
complete -c simdup -n "__fish_simdup_using_subcommand help; and not __fish_seen_subcommand_from scan check compare fingerprint completions man help" -f -a "compare" -d 'Tell how alike two files are'
complete -c simdup -n "__fish_simdup_using_subcommand help; and not __fish_seen_subcommand_from scan check compare fingerprint completions man help" -f -a "fingerprint" -d 'Print the fingerprints of files'
complete -c simdup -n "__fish_simdup_using_subcommand help; and not __fish_seen_subcommand_from scan check compare fingerprint completions man help" -f -a "completions" -d 'Print the completion script of a shell'
complete -c simdup -n "__fish_simdup_using_subcommand help; and not __fish_seen_subcommand_from scan check compare fingerprint completions man help" -f -a "man" -d 'Print the manual page'
complete -c simdup -n "__fish_simdup_using_subcommand help; and not __fish_seen_subcommand_from scan check compare fingerprint completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
