import { Argument, type Command } from 'commander'
import { keyPermissions } from '../domain/caller/caller.js'
import type { CommandContext } from './command-context.js'

export function registerCompletionCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => {
      // In single quotes, which all three shells read alike if the text contains none.
      const table = followingOf(program).join('\n').replaceAll("'", '’')
      stdout.write(scripts[shell](`printf '%s\\n' '${table}' | awk -F '\\t' '${LOOK_UP}'`))
    })
}

/** The placeholder of file names. */
const FILE = '<file>'

/**
 * The table of completions, a line for each: the words before (`keys create` or, for the value of an option, `keys
 * create --kind`), the word that can follow, and its description, with tabs between them.
 */
function followingOf(command: Command, words = ''): string[] {
  const within = words === '' ? '' : `${words} `
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = help.visibleOptions(command)
  const [argument] = command.registeredArguments
  const described = [
    ...commands.map((each) => [each.name(), each.description()]),
    ...options.flatMap(({ short, long, description }) =>
      [short, long].flatMap((text) => (text ? [[text, description]] : [])),
    ),
  ]
  const values = [...(argument?.argChoices ?? []), ...(argument?.name() === 'file' ? [FILE] : [])]
  // Which permissions a key can have depends on its kind. Values of others, such as ids, cannot be completed.
  const ofOptions = options.flatMap(({ required, optional, long, argChoices }) =>
    required || optional
      ? ['', ...(argChoices ?? (long === '--permission' ? keyPermissions : []))].map((value) => [long, value])
      : [],
  )
  return [
    ...described.map(([text, description]) => `${words}\t${text}\t${description}`),
    ...values.map((value) => `${words}\t${value}\t`),
    ...ofOptions.map(([option, value]) => `${within}${option}\t${value}\t`),
    ...commands.flatMap((each) => (each.name() === 'help' ? [] : followingOf(each, within + each.name()))),
  ]
}

/** Prints what follows the words of the line in `SVC_WORDS`: those of a command, perhaps with an option at the end. */
const LOOK_UP = `
  { known[$1]; line[NR] = $0 }
  END {
    count = split(ENVIRON["SVC_WORDS"], words, " ")
    for (i = 1; i <= count; i++) {
      longer = at (at == "" ? "" : " ") words[i]
      if (longer in known && (i == count || words[i] !~ /^-/)) at = longer
    }
    for (i = 1; i <= NR; i++) {
      split(line[i], part, "\\t")
      if (part[1] == at && part[2] != "") print part[2] "\\t" part[3]
    }
  }`

const scripts = {
  bash: (lookUp: string) => `# Completion of svc in bash: source <(svc completion bash)
_svc() {
  local line="\${COMP_LINE:0:COMP_POINT}" cur='' list='' files=''
  local -a words
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    cur="\${words[\${#words[@]} - 1]}"
    words=("\${words[@]:0:\${#words[@]} - 1}")
  fi
  list="$(export SVC_WORDS="\${words[*]:1}"; ${lookUp} | cut -f 1)"
  if [[ $list == *'${FILE}'* ]]; then files=-f; fi
  COMPREPLY=($(compgen $files -W "\${list/'${FILE}'/}" -- "$cur"))
  # bash splits words at colons and inserts only what follows the last one.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}"); fi
}
complete -F _svc svc svc.mjs
`,
  zsh: (lookUp: string) => `#compdef svc svc.mjs
# Completion of svc in zsh: source <(svc completion zsh), or this text as _svc in a folder of fpath.
_svc() {
  local line
  local -a described
  for line in "\${(@f)$(export SVC_WORDS="\${words[2,CURRENT-1]}"; ${lookUp})}"; do
    case "$line" in
      '${FILE}'*) _files ;;
      *$'\\t') compadd -- "\${line%$'\\t'}" ;;
      ?*) described+=("\${line/$'\\t'/:}") ;;
    esac
  done
  _describe -o svc described
}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc svc.mjs; fi
`,
  fish: (lookUp: string) => `# Completion of svc in fish: svc completion fish | source
function __svc_following
  set -l words (commandline -opc)
  set -lx SVC_WORDS "$words[2..-1]"
  for line in (${lookUp})
    if string match -q '${FILE}*' -- $line
      __fish_complete_path (commandline -ct)
    else
      # fish would look into descriptions, too.
      string match -r -- '^'(string escape --style=regex -- (commandline -ct))'.*' $line
    end
  end
end
complete -c svc -f -a '(__svc_following)'
`,
}
