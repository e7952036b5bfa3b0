
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'simdup' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'simdup'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'simdup' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('scan', 'scan', [CompletionResultType]::ParameterValue, 'Find the near-duplicates among files')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Fail when there are new near-duplicates: the gate for CI')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Tell how alike two files are')
            [CompletionResult]::new('fingerprint', 'fingerprint', [CompletionResultType]::ParameterValue, 'Print the fingerprints of files')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'simdup;scan' {
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read more paths from a list, one a line; - is standard input')
            [CompletionResult]::new('--files0-from', '--files0-from', [CompletionResultType]::ParameterName, 'Read more paths from a list, a NUL after each; - is standard input')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Take only files that match the glob, or with ! before it, only those that do not')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Take only files that match the glob, or with ! before it, only those that do not')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N folders; 0 takes the PATHs alone')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Leave out files larger than N bytes; K, M and G stand for powers of 1024')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'What becomes of binary files (those with a NUL byte)')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8')
            [CompletionResult]::new('--features', '--features', [CompletionResultType]::ParameterName, 'What documents are compared by: words, word:N, char:N or classic')
            [CompletionResult]::new('--min-features', '--min-features', [CompletionResultType]::ParameterName, 'A document with fewer features is too short to judge')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]')
            [CompletionResult]::new('--distance', '--distance', [CompletionResultType]::ParameterName, 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]')
            [CompletionResult]::new('--similarity', '--similarity', [CompletionResultType]::ParameterName, 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]')
            [CompletionResult]::new('--reference', '--reference', [CompletionResultType]::ParameterName, 'Files below PATH are known: pairs inside are not reported; may be given several times')
            [CompletionResult]::new('--from-fingerprints', '--from-fingerprints', [CompletionResultType]::ParameterName, 'Read what `simdup fingerprint` printed instead of files; - is standard input')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'How pairs join into groups')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of the pairs; all but path collect them first')
            [CompletionResult]::new('--max-pairs', '--max-pairs', [CompletionResultType]::ParameterName, 'Report only the first N pairs')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads; 0 stands for as many as the machine has')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads; 0 stands for as many as the machine has')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report; NO_COLOR is honoured')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show the progress on standard error')
            [CompletionResult]::new('-H', '-H ', [CompletionResultType]::ParameterName, 'Take hidden files and folders too')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'Take hidden files and folders too')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Like --no-ignore; -uu: like --no-ignore --hidden')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--no-verify', '--no-verify', [CompletionResultType]::ParameterName, 'Leave out the verified similarity')
            [CompletionResult]::new('--groups', '--groups', [CompletionResultType]::ParameterName, 'Report groups instead of pairs')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'Text with raw names and NUL after each field')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Text with raw names and NUL after each field')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No summary, no warnings; errors are still told')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No summary, no warnings; errors are still told')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Tell which choices were made and why, and every warning')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Tell which choices were made and why, and every warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Do not read simdup.toml')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'simdup;check' {
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'The known pairs [default: simdup-baseline.json, if there is one]')
            [CompletionResult]::new('--changed-since', '--changed-since', [CompletionResultType]::ParameterName, 'Judge only pairs with a file that has changed since the revision REV parted from HEAD')
            [CompletionResult]::new('--changed', '--changed', [CompletionResultType]::ParameterName, 'Judge only pairs with one of these files; takes all arguments up to the next option')
            [CompletionResult]::new('--changed-from', '--changed-from', [CompletionResultType]::ParameterName, 'Judge only pairs with a file of this list, a line or a NUL each; - is standard input')
            [CompletionResult]::new('--max-new', '--max-new', [CompletionResultType]::ParameterName, 'Accept up to N new pairs [default: 0]')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read more paths from a list, one a line; - is standard input')
            [CompletionResult]::new('--files0-from', '--files0-from', [CompletionResultType]::ParameterName, 'Read more paths from a list, a NUL after each; - is standard input')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Take only files that match the glob, or with ! before it, only those that do not')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Take only files that match the glob, or with ! before it, only those that do not')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N folders; 0 takes the PATHs alone')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Leave out files larger than N bytes; K, M and G stand for powers of 1024')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'What becomes of binary files (those with a NUL byte)')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8')
            [CompletionResult]::new('--features', '--features', [CompletionResultType]::ParameterName, 'What documents are compared by: words, word:N, char:N or classic')
            [CompletionResult]::new('--min-features', '--min-features', [CompletionResultType]::ParameterName, 'A document with fewer features is too short to judge')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]')
            [CompletionResult]::new('--distance', '--distance', [CompletionResultType]::ParameterName, 'Report pairs whose fingerprints differ in at most N bits, 0 to 64 [default without -s and verification: 3]')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]')
            [CompletionResult]::new('--similarity', '--similarity', [CompletionResultType]::ParameterName, 'Report pairs whose verified similarity is at least S, 0 < S <= 1 [default without -k: 0.7]')
            [CompletionResult]::new('--reference', '--reference', [CompletionResultType]::ParameterName, 'Files below PATH are known: pairs inside are not reported; may be given several times')
            [CompletionResult]::new('--from-fingerprints', '--from-fingerprints', [CompletionResultType]::ParameterName, 'Read what `simdup fingerprint` printed instead of files; - is standard input')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'How pairs join into groups')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of the pairs; all but path collect them first')
            [CompletionResult]::new('--max-pairs', '--max-pairs', [CompletionResultType]::ParameterName, 'Report only the first N pairs')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads; 0 stands for as many as the machine has')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads; 0 stands for as many as the machine has')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report; NO_COLOR is honoured')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show the progress on standard error')
            [CompletionResult]::new('--update-baseline', '--update-baseline', [CompletionResultType]::ParameterName, 'Write the baseline: what is there now is known from now on')
            [CompletionResult]::new('-H', '-H ', [CompletionResultType]::ParameterName, 'Take hidden files and folders too')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'Take hidden files and folders too')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Like --no-ignore; -uu: like --no-ignore --hidden')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('--no-verify', '--no-verify', [CompletionResultType]::ParameterName, 'Leave out the verified similarity')
            [CompletionResult]::new('--groups', '--groups', [CompletionResultType]::ParameterName, 'Report groups instead of pairs')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'Text with raw names and NUL after each field')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Text with raw names and NUL after each field')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No summary, no warnings; errors are still told')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No summary, no warnings; errors are still told')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Tell which choices were made and why, and every warning')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Tell which choices were made and why, and every warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Do not read simdup.toml')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'simdup;compare' {
            [CompletionResult]::new('--features', '--features', [CompletionResultType]::ParameterName, 'What documents are compared by: words, word:N, char:N or classic')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the diff; NO_COLOR is honoured')
            [CompletionResult]::new('--text', '--text', [CompletionResultType]::ParameterName, 'Treat binary files (those with a NUL byte) as text')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show the lines that differ, too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'simdup;fingerprint' {
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read more paths from a list, one a line; - is standard input')
            [CompletionResult]::new('--files0-from', '--files0-from', [CompletionResultType]::ParameterName, 'Read more paths from a list, a NUL after each; - is standard input')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Take only files that match the glob, or with ! before it, only those that do not')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Take only files that match the glob, or with ! before it, only those that do not')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N folders; 0 takes the PATHs alone')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Leave out files smaller than N bytes; K, M and G stand for powers of 1024')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Leave out files larger than N bytes; K, M and G stand for powers of 1024')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'What becomes of binary files (those with a NUL byte)')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8')
            [CompletionResult]::new('--features', '--features', [CompletionResultType]::ParameterName, 'What documents are compared by: words, word:N, char:N or classic')
            [CompletionResult]::new('--min-features', '--min-features', [CompletionResultType]::ParameterName, 'A document with fewer features is too short to judge')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to FILE, whole or not at all; - is standard output')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads; 0 stands for as many as the machine has')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads; 0 stands for as many as the machine has')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report; NO_COLOR is honoured')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show the progress on standard error')
            [CompletionResult]::new('-H', '-H ', [CompletionResultType]::ParameterName, 'Take hidden files and folders too')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'Take hidden files and folders too')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Like --no-ignore; -uu: like --no-ignore --hidden')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow symbolic links')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of each PATH')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'Text with raw names and NUL after each field')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Text with raw names and NUL after each field')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No summary, no warnings; errors are still told')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No summary, no warnings; errors are still told')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Tell which choices were made and why, and every warning')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Tell which choices were made and why, and every warning')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'simdup;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'simdup;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'simdup;help' {
            [CompletionResult]::new('scan', 'scan', [CompletionResultType]::ParameterValue, 'Find the near-duplicates among files')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Fail when there are new near-duplicates: the gate for CI')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Tell how alike two files are')
            [CompletionResult]::new('fingerprint', 'fingerprint', [CompletionResultType]::ParameterValue, 'Print the fingerprints of files')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'simdup;help;scan' {
            break
        }
        'simdup;help;check' {
            break
        }
        'simdup;help;compare' {
            break
        }
        'simdup;help;fingerprint' {
            break
        }
        'simdup;help;completions' {
            break
        }
        'simdup;help;man' {
            break
        }
        'simdup;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
