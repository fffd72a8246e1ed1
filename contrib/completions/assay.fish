# fish completion for assay. Verbs and options come from the program's own help.

function __assay_verbs
    assay --help 2>/dev/null | string match -rg '^  ([a-z][a-z-]*) +(.*)' | paste - -
end

function __assay_options
    set -l words (commandline -opc)
    assay $words[2] --help 2>/dev/null | string match -rg '^  (--[a-z][a-z-]*)(?: [A-Z=]+)? +(.*)' | paste - -
end

function __assay_at_verb
    set -l words (commandline -opc)
    test (count $words) -eq 1; or begin
        test (count $words) -eq 2; and test $words[2] = help
    end
end

complete -c assay -n __assay_at_verb -f -a '(__assay_verbs)'
complete -c assay -n 'not __assay_at_verb; and string match -q -- "-*" (commandline -ct)' -f -a '(__assay_options)'
