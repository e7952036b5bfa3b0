
use builtin;
use str;

set edit:completion:arg-completer[simdup] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'simdup'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'simdup'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand scan 'Find the near-duplicates among files'
            cand check 'Fail when there are new near-duplicates: the gate for CI'
            cand compare 'Tell how alike two files are'
            cand fingerprint 'Print the fingerprints of files'
            cand completions 'Print the completion script of a shell'
            cand man 'Print the manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'simdup;scan'= {
            cand --files-from 'Read more paths from a list, one a line; - is standard input'
            cand --files0-from 'Read more paths from a list, a NUL after each; - is standard input'
            cand -g 'Take only files that match the glob, or with ! before it, only those that do not'
            cand --glob 'Take only files that match the glob, or with ! before it, only those that do not'
            cand --max-depth 'Descend at most N folders; 0 takes the PATHs alone'
            cand --min-size 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024'
            cand --max-size 'Leave out files larger than N bytes; K, M and G stand for powers of 1024'
            cand --binary 'What becomes of binary files (those with a NUL byte)'
            cand --encoding 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8'
            cand --features 'What documents are compared by: words, word:N, char:N or classic'
            cand --min-features 'A document with fewer features is too short to judge'
            cand -k 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]'
            cand --distance 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]'
            cand -s 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]'
            cand --similarity 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]'
            cand --reference 'Files below PATH are known: pairs inside are not reported; may be given several times'
            cand --from-fingerprints 'Read what `simdup fingerprint` printed instead of files; - is standard input'
            cand --link 'How pairs join into groups'
            cand --sort 'Order of the pairs; all but path collect them first'
            cand --max-pairs 'Report only the first N pairs'
            cand --format 'Format of the report'
            cand -o 'Write the report to FILE, whole or not at all; - is standard output'
            cand --output 'Write the report to FILE, whole or not at all; - is standard output'
            cand -j 'Number of threads; 0 stands for as many as the machine has'
            cand --threads 'Number of threads; 0 stands for as many as the machine has'
            cand --color 'Colour the text report; NO_COLOR is honoured'
            cand --progress 'Show the progress on standard error'
            cand -H 'Take hidden files and folders too'
            cand --hidden 'Take hidden files and folders too'
            cand --no-ignore 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)'
            cand -u 'Like --no-ignore; -uu: like --no-ignore --hidden'
            cand -L 'Follow symbolic links'
            cand --follow 'Follow symbolic links'
            cand --one-file-system 'Stay on the file system of each PATH'
            cand --no-verify 'Leave out the verified similarity'
            cand --groups 'Report groups instead of pairs'
            cand -0 'Text with raw names and NUL after each field'
            cand --null 'Text with raw names and NUL after each field'
            cand -q 'No summary, no warnings; errors are still told'
            cand --quiet 'No summary, no warnings; errors are still told'
            cand -v 'Tell which choices were made and why, and every warning'
            cand --verbose 'Tell which choices were made and why, and every warning'
            cand --no-config 'Do not read simdup.toml'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'simdup;check'= {
            cand --baseline 'The known pairs [default: simdup-baseline.json, if there is one]'
            cand --changed-since 'Judge only pairs with a file that has changed since the revision REV parted from HEAD'
            cand --changed 'Judge only pairs with one of these files; takes all arguments up to the next option'
            cand --changed-from 'Judge only pairs with a file of this list, a line or a NUL each; - is standard input'
            cand --max-new 'Accept up to N new pairs [default: 0]'
            cand --files-from 'Read more paths from a list, one a line; - is standard input'
            cand --files0-from 'Read more paths from a list, a NUL after each; - is standard input'
            cand -g 'Take only files that match the glob, or with ! before it, only those that do not'
            cand --glob 'Take only files that match the glob, or with ! before it, only those that do not'
            cand --max-depth 'Descend at most N folders; 0 takes the PATHs alone'
            cand --min-size 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024'
            cand --max-size 'Leave out files larger than N bytes; K, M and G stand for powers of 1024'
            cand --binary 'What becomes of binary files (those with a NUL byte)'
            cand --encoding 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8'
            cand --features 'What documents are compared by: words, word:N, char:N or classic'
            cand --min-features 'A document with fewer features is too short to judge'
            cand -k 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]'
            cand --distance 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]'
            cand -s 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]'
            cand --similarity 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]'
            cand --reference 'Files below PATH are known: pairs inside are not reported; may be given several times'
            cand --from-fingerprints 'Read what `simdup fingerprint` printed instead of files; - is standard input'
            cand --link 'How pairs join into groups'
            cand --sort 'Order of the pairs; all but path collect them first'
            cand --max-pairs 'Report only the first N pairs'
            cand --format 'Format of the report'
            cand -o 'Write the report to FILE, whole or not at all; - is standard output'
            cand --output 'Write the report to FILE, whole or not at all; - is standard output'
            cand -j 'Number of threads; 0 stands for as many as the machine has'
            cand --threads 'Number of threads; 0 stands for as many as the machine has'
            cand --color 'Colour the text report; NO_COLOR is honoured'
            cand --progress 'Show the progress on standard error'
            cand --update-baseline 'Write the baseline: what is there now is known from now on'
            cand -H 'Take hidden files and folders too'
            cand --hidden 'Take hidden files and folders too'
            cand --no-ignore 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)'
            cand -u 'Like --no-ignore; -uu: like --no-ignore --hidden'
            cand -L 'Follow symbolic links'
            cand --follow 'Follow symbolic links'
            cand --one-file-system 'Stay on the file system of each PATH'
            cand --no-verify 'Leave out the verified similarity'
            cand --groups 'Report groups instead of pairs'
            cand -0 'Text with raw names and NUL after each field'
            cand --null 'Text with raw names and NUL after each field'
            cand -q 'No summary, no warnings; errors are still told'
            cand --quiet 'No summary, no warnings; errors are still told'
            cand -v 'Tell which choices were made and why, and every warning'
            cand --verbose 'Tell which choices were made and why, and every warning'
            cand --no-config 'Do not read simdup.toml'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'simdup;compare'= {
            cand --features 'What documents are compared by: words, word:N, char:N or classic'
            cand --encoding 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8'
            cand --format 'Format of the report'
            cand -o 'Write the report to FILE, whole or not at all; - is standard output'
            cand --output 'Write the report to FILE, whole or not at all; - is standard output'
            cand --color 'Colour the diff; NO_COLOR is honoured'
            cand --text 'Treat binary files (those with a NUL byte) as text'
            cand --diff 'Show the lines that differ, too'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'simdup;fingerprint'= {
            cand --files-from 'Read more paths from a list, one a line; - is standard input'
            cand --files0-from 'Read more paths from a list, a NUL after each; - is standard input'
            cand -g 'Take only files that match the glob, or with ! before it, only those that do not'
            cand --glob 'Take only files that match the glob, or with ! before it, only those that do not'
            cand --max-depth 'Descend at most N folders; 0 takes the PATHs alone'
            cand --min-size 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024'
            cand --max-size 'Leave out files larger than N bytes; K, M and G stand for powers of 1024'
            cand --binary 'What becomes of binary files (those with a NUL byte)'
            cand --encoding 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8'
            cand --features 'What documents are compared by: words, word:N, char:N or classic'
            cand --min-features 'A document with fewer features is too short to judge'
            cand --format 'Format of the report'
            cand -o 'Write the report to FILE, whole or not at all; - is standard output'
            cand --output 'Write the report to FILE, whole or not at all; - is standard output'
            cand -j 'Number of threads; 0 stands for as many as the machine has'
            cand --threads 'Number of threads; 0 stands for as many as the machine has'
            cand --color 'Colour the text report; NO_COLOR is honoured'
            cand --progress 'Show the progress on standard error'
            cand -H 'Take hidden files and folders too'
            cand --hidden 'Take hidden files and folders too'
            cand --no-ignore 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)'
            cand -u 'Like --no-ignore; -uu: like --no-ignore --hidden'
            cand -L 'Follow symbolic links'
            cand --follow 'Follow symbolic links'
            cand --one-file-system 'Stay on the file system of each PATH'
            cand -0 'Text with raw names and NUL after each field'
            cand --null 'Text with raw names and NUL after each field'
            cand -q 'No summary, no warnings; errors are still told'
            cand --quiet 'No summary, no warnings; errors are still told'
            cand -v 'Tell which choices were made and why, and every warning'
            cand --verbose 'Tell which choices were made and why, and every warning'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'simdup;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'simdup;man'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'simdup;help'= {
            cand scan 'Find the near-duplicates among files'
            cand check 'Fail when there are new near-duplicates: the gate for CI'
            cand compare 'Tell how alike two files are'
            cand fingerprint 'Print the fingerprints of files'
            cand completions 'Print the completion script of a shell'
            cand man 'Print the manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'simdup;help;scan'= {
        }
        &'simdup;help;check'= {
        }
        &'simdup;help;compare'= {
        }
        &'simdup;help;fingerprint'= {
        }
        &'simdup;help;completions'= {
        }
        &'simdup;help;man'= {
        }
        &'simdup;help;help'= {
        }
    ]
    $completions[$command]
}
