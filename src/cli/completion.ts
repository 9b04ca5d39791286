import { Argument, type Command, type Option } from 'commander'
import { permissions } from '../domain/caller/caller.js'
import type { CommandContext } from './command-context.js'

/** One command with what can follow it. */
interface Place {
  /** The words from the program's name to it, which is empty for the program itself. */
  readonly words: string
  readonly commands: readonly Described[]
  readonly options: readonly Described[]
  /** The options that a value follows, with the values that are known. */
  readonly values: readonly { readonly option: string; readonly known: readonly string[] }[]
  /** The values that its argument can have; `files` is any file. */
  readonly argument: readonly string[] | 'files'
}

interface Described {
  readonly text: string
  readonly description: string
}

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** Values that an option takes; those of others, such as ids, are in a database or in the operator's head. */
const knownValues: Readonly<Record<string, readonly string[]>> = {
  '--kind': ['pk', 'wk', 'mk'],
  '--permission': permissions,
}

/** `svc completion`: a script that completes commands, options and values at the prompt of a shell. */
export function registerCompletionCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell) => {
      stdout.write(scripts[shell](placesOf(program)))
    })
}

function placesOf(command: Command, words: readonly string[] = []): Place[] {
  const commands = command.createHelp().visibleCommands(command)
  const options = command.createHelp().visibleOptions(command)
  const [argument] = command.registeredArguments
  const place: Place = {
    words: words.join(' '),
    commands: commands.map((each) => ({ text: each.name(), description: each.description() })),
    options: options.flatMap((option) =>
      [option.short, option.long].flatMap((text) => (text == null ? [] : { text, description: option.description })),
    ),
    values: options
      .filter(takesValue)
      .map(({ long }) => ({ option: long ?? '', known: knownValues[long ?? ''] ?? [] })),
    argument: argument?.name() === 'file' ? 'files' : (argument?.argChoices ?? []),
  }
  const below = commands.filter((each) => each.name() !== 'help')
  return [place, ...below.flatMap((each) => placesOf(each, [...words, each.name()]))]
}

const takesValue = ({ required, optional }: Option): boolean => required || optional

/** In single quotes, which all three shells read alike where the text contains none. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}

/** The words before the cursor that are commands, as a `case` of bash and zsh. */
function walk(places: readonly Place[], name: string): string {
  const known = places.filter(({ words }) => words !== '')
  const patterns = known.map(({ words }) => {
    const parts = words.split(' ')
    return `'${parts.slice(0, -1).join(' ')}/${parts.at(-1) ?? ''}'`
  })
  return `    case "$${name}/$word" in ${patterns.join('|')}) ${name}="\${${name}:+$${name} }$word" ;; esac`
}

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `# Completion of svc in bash: source <(svc completion bash)
_svc() {
  local line="\${COMP_LINE:0:COMP_POINT}" cur='' prev at='' word list='' files=''
  local -a words
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    cur="\${words[\${#words[@]} - 1]}"
    words=("\${words[@]:0:\${#words[@]} - 1}")
  fi
  prev="\${words[\${#words[@]} - 1]}"
  for word in "\${words[@]:1}"; do
${walk(places, 'at')}
  done
  case "$at $prev" in
${places
  .flatMap(({ words, values }) =>
    values.map(({ option, known }) => `    '${words} ${option}') list=${quoted(known.join(' '))} ;;`),
  )
  .join('\n')}
    *) case "$at" in
${places
  .map(({ words, commands, options, argument }) => {
    const texts = [...commands, ...options].map(({ text }) => text)
    const all = [...texts, ...(argument === 'files' ? [] : argument)].join(' ')
    return `      '${words}') list=${quoted(all)}${argument === 'files' ? ' files=-f' : ''} ;;`
  })
  .join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen $files -W "$list" -- "$cur"))
  # A colon parts words for bash, which puts in only what is behind it.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}"); fi
}
complete -F _svc svc svc.mjs
`,
  zsh: (places) => `#compdef svc svc.mjs
# Completion of svc in zsh: source <(svc completion zsh), or this text as _svc in a folder of fpath.
_svc() {
  local at='' word
  local -a described
  for word in "\${(@)words[2,CURRENT-1]}"; do
${walk(places, 'at')}
  done
  case "$at \${words[CURRENT-1]}" in
${places
  .flatMap(({ words, values }) =>
    values.map(({ option, known }) => `    '${words} ${option}') compadd -- ${known.map(quoted).join(' ')}; return ;;`),
  )
  .join('\n')}
  esac
  case "$at" in
${places
  .map(({ words, commands, options, argument }) => {
    const all = [
      ...commands,
      ...(argument === 'files' ? [] : argument.map((text) => ({ text, description: '' }))),
      ...options,
    ]
    const pairs = all.map(({ text, description }) => quoted(`${text.replaceAll(':', '\\:')}:${description}`))
    return `    '${words}') described=(${pairs.join(' ')})${argument === 'files' ? '; _files' : ''} ;;`
  })
  .join('\n')}
  esac
  _describe -o svc described
}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc svc.mjs; fi
`,
  fish: (places) => `# Completion of svc in fish: svc completion fish | source
function __svc_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
      case ${places
        .filter(({ words }) => words !== '')
        .map(({ words }) => {
          const parts = words.split(' ')
          return `'${parts.slice(0, -1).join(' ')}/${parts.at(-1) ?? ''}'`
        })
        .join(' ')}
        set at (string trim "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
complete -c svc -f
${places
  .flatMap(({ words, commands, options, values, argument }) => {
    const when = `complete -c svc -n ${quoted(`__svc_at "${words}"`)}`
    return [
      ...commands.map(({ text, description }) => `${when} -a ${quoted(text)} -d ${quoted(description)}`),
      ...(argument === 'files' ? [`${when} -F`] : argument.map((text) => `${when} -a ${quoted(text)}`)),
      ...options.map(({ text, description }) => {
        const value = values.find(({ option }) => option === text)
        const known =
          value === undefined ? '' : ` -x${value.known.length === 0 ? '' : ` -a ${quoted(value.known.join(' '))}`}`
        const flag = text.startsWith('--') ? `-l ${quoted(text.slice(2))}` : `-s ${quoted(text.slice(1))}`
        return `${when} ${flag}${known} -d ${quoted(description)}`
      }),
    ]
  })
  .join('\n')}
`,
}
