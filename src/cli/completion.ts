import { Argument, type Command, type Option } from 'commander'
import { keyPermissions } from '../domain/caller/caller.js'
import type { CommandContext } from './command-context.js'

/** What can follow some words: those of a command, or of a command with an option that takes a value. */
interface Place {
  /** The words after the program's name; none for the program itself. */
  readonly words: string
  readonly commands: readonly Described[]
  readonly options: readonly Described[]
  /** Values of its argument, or of the option. */
  readonly values: readonly string[]
  /** Whether any file can follow too. */
  readonly isFile: boolean
}

interface Described {
  readonly text: string
  readonly description: string
}

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

export function registerCompletionCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell) => {
      const commands = commandPlaces(program)
      const known = commands.flatMap(({ words }) => (words === '' ? [] : quoted(words)))
      stdout.write(scripts[shell](commands, known))
    })
}

function commandPlaces(command: Command, words: readonly string[] = []): (Place & { readonly command: Command })[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const [argument] = command.registeredArguments
  const place = {
    command,
    words: words.join(' '),
    commands: commands.map((each) => ({ text: each.name(), description: each.description() })),
    options: help.visibleOptions(command).flatMap(described),
    values: argument?.argChoices ?? [],
    isFile: argument?.name() === 'file',
  }
  const below = commands.filter((each) => each.name() !== 'help')
  return [place, ...below.flatMap((each) => commandPlaces(each, [...words, each.name()]))]
}

function described({ short, long, description }: Option): Described[] {
  return [short, long].flatMap((text) => (text == null ? [] : { text, description }))
}

function valuePlaces({ command, words }: ReturnType<typeof commandPlaces>[number]): Place[] {
  return command.options.flatMap(({ required, optional, long, argChoices }) => {
    if (long == null || !(required || optional)) return []
    // Which permissions a key can have depends on its kind. Values of others, such as ids, cannot be completed.
    const values = argChoices ?? (long === '--permission' ? keyPermissions : [])
    return { words: `${words} ${long}`, commands: [], options: [], values, isFile: false }
  })
}

/** In single quotes, which all three shells read alike if the text contains none. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}

type Script = (commands: ReturnType<typeof commandPlaces>, known: readonly string[]) => string

/** The branches of bash and zsh: that of the last word if it takes a value, otherwise that of the command. */
function branches(commands: ReturnType<typeof commandPlaces>, branch: (place: Place) => string): string {
  const places = [...commands.flatMap(valuePlaces), ...commands]
  return places.map((place) => `      ${quoted(place.words)}) ${branch(place)} ;;`).join('\n')
}

const scripts: Readonly<Record<Shell, Script>> = {
  bash: (commands, known) => `# Completion of svc in bash: source <(svc completion bash)
_svc() {
  local line="\${COMP_LINE:0:COMP_POINT}" cur='' at='' word list='' files=''
  local -a words
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    cur="\${words[\${#words[@]} - 1]}"
    words=("\${words[@]:0:\${#words[@]} - 1}")
  fi
  for word in "\${words[@]:1}"; do
    case "\${at:+$at }$word" in ${known.join('|')}) at="\${at:+$at }$word" ;; esac
  done
  for word in "$at \${words[\${#words[@]} - 1]}" "$at"; do
    case "$word" in
${branches(commands, ({ commands, options, values, isFile }) => {
  const texts = [...[...commands, ...options].map(({ text }) => text), ...values]
  return `list=${quoted(texts.join(' '))}${isFile ? ' files=-f' : ''}; break`
})}
    esac
  done
  COMPREPLY=($(compgen $files -W "$list" -- "$cur"))
  # bash splits words at colons and inserts only what follows the last one.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}"); fi
}
complete -F _svc svc svc.mjs
`,
  zsh: (commands, known) => `#compdef svc svc.mjs
# Completion of svc in zsh: source <(svc completion zsh), or this text as _svc in a folder of fpath.
_svc() {
  local at='' word
  local -a described
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in ${known.join('|')}) at="\${at:+$at }$word" ;; esac
  done
  for word in "$at \${words[CURRENT-1]}" "$at"; do
    case "$word" in
${branches(commands, ({ commands, options, values, isFile }) => {
  const pairs = [...commands, ...options].map(({ text, description }) => quoted(`${text}:${description}`))
  return `described=(${pairs.join(' ')}); compadd -- ${values.map(quoted).join(' ')}${isFile ? '; _files' : ''}; break`
})}
    esac
  done
  _describe -o svc described
}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc svc.mjs; fi
`,
  fish: (commands, known) => `# Completion of svc in fish: svc completion fish | source
function __svc_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch (string trim "$at $word")
      case ${known.join(' ')}
        set at (string trim "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
complete -c svc -f
${commands
  .flatMap((place) => {
    const when = `complete -c svc -n ${quoted(`__svc_at "${place.words}"`)}`
    const following = new Map(valuePlaces(place).map(({ words, values }) => [words, values.join(' ')]))
    return [
      ...place.commands.map(({ text, description }) => `${when} -a ${quoted(text)} -d ${quoted(description)}`),
      ...place.values.map((text) => `${when} -a ${quoted(text)}`),
      ...(place.isFile ? [`${when} -F`] : []),
      ...place.options.map(({ text, description }) => {
        const values = following.get(`${place.words} ${text}`)
        const known = values === undefined ? '' : ` -x${values === '' ? '' : ` -a ${quoted(values)}`}`
        const flag = text.startsWith('--') ? `-l ${quoted(text.slice(2))}` : `-s ${quoted(text.slice(1))}`
        return `${when} ${flag}${known} -d ${quoted(description)}`
      }),
    ]
  })
  .join('\n')}
`,
}
